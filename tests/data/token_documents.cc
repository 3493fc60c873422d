// SPDX-License-Identifier: Apache-2.0
// Writes or reads a file of tokens, for token_files_peer_test.py.
// usage: token_documents write PATH FORMAT VOCAB [SPLIT] < documents
//        token_documents read PATH [SPLIT]
// A document is a line of ids.
#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/data/token_files/open_token_files.h"
#include "meshwright/data/token_files/token_writer.h"

namespace meshwright::data {
namespace {

TokenFormat format_named(std::string_view name) {
  const auto found = std::ranges::find(kAllTokenFormats, name, token_format_name);
  if (found == kAllTokenFormats.end()) fail(ErrorCode::invalid_argument, "no format ", name);
  return *found;
}

void write(const std::vector<std::string>& words) {
  TokenWriterOptions options{.vocab_size = std::stoll(words.at(4)), .chunk_tokens = 1000};
  if (words.size() > 5) options.split = words[5];
  const auto out = open_token_writer(words.at(2), format_named(words.at(3)), options);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream numbers(line);
    std::vector<std::uint32_t> document;
    for (std::uint32_t id; numbers >> id;)
      document.push_back(id);
    out->add_document(document);
  }
  out->finish();
}

void read(const std::vector<std::string>& words) {
  TokenFileOptions options;
  if (words.size() > 3) options.split = words[3];
  const auto documents = token_documents(open_token_files({words.at(2)}, options), 1 << 30);
  for (std::int64_t i = 0; i < documents->num_documents(); ++i) {
    for (const std::int32_t id : whole_document(*documents, i))
      std::cout << id << ' ';
    std::cout << '\n';
  }
}

}  // namespace
}  // namespace meshwright::data

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  try {
    words.at(1) == "write" ? meshwright::data::write(words) : meshwright::data::read(words);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
