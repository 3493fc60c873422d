// SPDX-License-Identifier: Apache-2.0
// Encodes texts for peer tests.
//
// usage: bpe_ids words RULES | bpe_ids ids MODEL RULES
//
// RULES has a line "rust" or BEHAVIOR of a split, then 0 or 1 for invert, then the pattern in
// base64. MODEL has lines "token ID BASE64" and "merge BASE64 BASE64", or is a tiktoken file.
// Standard input has texts, each after its size as a 32-bit number. Standard output has, for each,
// a count and so many 32-bit numbers: ids, or the starts and ends of words.
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "meshwright/base/base64.h"
#include "meshwright/base/error.h"
#include "meshwright/tokenizers/bpe/byte_bpe.h"
#include "meshwright/tokenizers/split/rule.h"
#include "texts/texts.h"

namespace meshwright::tokenizers {
namespace {

std::string bytes_of(const std::string& base64) {
  return from_base64(base64).value();
}

SplitterPtr read_rules(const char* path) {
  const std::map<std::string, SplitBehavior> behaviors = {
      {"Removed", SplitBehavior::removed},
      {"Isolated", SplitBehavior::isolated},
      {"MergedWithPrevious", SplitBehavior::merged_with_previous},
      {"MergedWithNext", SplitBehavior::merged_with_next},
      {"Contiguous", SplitBehavior::contiguous}};
  std::vector<SplitterPtr> splitters;
  std::ifstream file(path);
  std::string kind, pattern;
  for (bool invert = false; file >> kind >> invert >> pattern;) {
    splitters.push_back(kind == "rust" ? find_splitter(bytes_of(pattern))
                                       : make_splitter({.pattern = bytes_of(pattern),
                                                        .behavior = behaviors.at(kind),
                                                        .invert = invert}));
    if (splitters.back() == nullptr) fail(ErrorCode::not_found, "no splitter for ", pattern);
  }
  return split_in_sequence(std::move(splitters));
}

void put(std::vector<std::string>& tokens, std::size_t id, const std::string& token) {
  if (tokens.size() <= id) tokens.resize(id + 1);
  tokens[id] = token;
}

ByteBpe read_model(const char* path) {
  BpeModel model;
  std::vector<std::pair<std::string, std::string>> merges;
  bool has_merges = false;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first, second, third;
    words >> first >> second >> third;
    if (first == "token") {
      put(model.tokens, std::stoul(second), bytes_of(third));
      has_merges = true;
    } else if (first == "merge") {
      merges.emplace_back(bytes_of(second), bytes_of(third));
    } else {
      put(model.tokens, std::stoul(second), bytes_of(first));
    }
  }
  if (!has_merges) return ByteBpe::from_ranks(model.tokens);
  model.merges.assign(merges.begin(), merges.end());
  return ByteBpe(model);
}

void write(const std::vector<Id>& numbers) {
  const auto count = static_cast<std::uint32_t>(numbers.size());
  std::cout.write(reinterpret_cast<const char*>(&count), sizeof(count));
  std::cout.write(reinterpret_cast<const char*>(numbers.data()),
                  static_cast<std::streamsize>(numbers.size() * sizeof(Id)));
}

void write_words(const Splitter& splitter, const std::string& text) {
  std::vector<Id> ends;
  for (const std::string_view word : words_of(splitter, text)) {
    const auto start = static_cast<Id>(word.data() - text.data());
    ends.insert(ends.end(), {start, start + static_cast<Id>(word.size())});
  }
  write(ends);
}

int run(const std::vector<const char*>& arguments) {
  if (arguments.size() == 3 && std::string_view(arguments[1]) == "words") {
    const SplitterPtr splitter = read_rules(arguments[2]);
    for (const std::string& text : test_texts::read_texts(std::cin))
      write_words(*splitter, text);
    return 0;
  }
  if (arguments.size() != 4) return 2;
  const ByteBpe bpe = read_model(arguments[2]);
  const SplitterPtr splitter = read_rules(arguments[3]);
  for (const std::string& text : test_texts::read_texts(std::cin)) {
    std::vector<Id> ids;
    bpe.encode(*splitter, text, ids);
    write(ids);
  }
  return 0;
}

}  // namespace
}  // namespace meshwright::tokenizers

int main(int argc, char** argv) {
  try {
    return meshwright::tokenizers::run({argv, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
