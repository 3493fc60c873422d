// SPDX-License-Identifier: Apache-2.0
// Encodes texts with a tokenizer, for comparisons with the library that defines its file.
//
// usage: tokenizer_ids FILE ids|time < texts
// Input: texts, each after its length (u32). Output of `ids`: per text the number of its ids (u32),
// the ids (i32), the length of the decoded text (u32) and the text. Output of `time`: the seconds
// of CPU time that encoding took, and the number of ids.
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/tokenizers/open/open_tokenizer.h"
#include "texts/texts.h"

namespace {

using meshwright::tokenizers::Id;
using meshwright::tokenizers::Tokenizer;

void write(const void* data, std::size_t size) {
  std::cout.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
}

void write_number(std::size_t number) {
  const auto value = static_cast<std::uint32_t>(number);
  write(&value, sizeof value);
}

void write_ids(const Tokenizer& tokenizer, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    std::vector<Id> ids;
    tokenizer.encode(text, ids);
    const std::string decoded = tokenizer.decode(ids);
    write_number(ids.size());
    write(ids.data(), ids.size() * sizeof(Id));
    write_number(decoded.size());
    write(decoded.data(), decoded.size());
  }
}

void write_time(const Tokenizer& tokenizer, const std::vector<std::string>& texts) {
  std::size_t num_ids = 0;
  std::vector<Id> ids;
  const std::clock_t begin = std::clock();
  for (const std::string& text : texts) {
    ids.clear();
    tokenizer.encode(text, ids);
    num_ids += ids.size();
  }
  std::cout << static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC << ' ' << num_ids << '\n';
}

int run(const std::string& file, std::string_view mode) {
  const auto tokenizer = meshwright::tokenizers::open_tokenizer(file);
  const std::vector<std::string> texts = meshwright::test_texts::read_texts(std::cin);
  if (mode == "time")
    write_time(*tokenizer, texts);
  else
    write_ids(*tokenizer, texts);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 3) return run(argv[1], argv[2]);
    std::fputs("usage: tokenizer_ids FILE ids|time < texts\n", stderr);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
