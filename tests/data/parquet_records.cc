// SPDX-License-Identifier: Apache-2.0
// Prints the records of Parquet files. usage: parquet_records [--fields PATH,...] [--messages PATH]
// [--role NAME] [--content NAME] [--equal PATH=VALUE] [--skip N] [--threads N] [--count] FILE...
// Each record is a line of hexadecimal fields, then role and content of each message, separated by
// blanks; each begins with a letter, so that empty texts can be seen. --count prints only totals.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/data/records/record_reader.h"

namespace meshwright::data {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

struct Options {
  RecordSettings settings;
  ParquetFormat format;
  std::vector<std::string> files;
  bool counts = false;
};

void set_option(const std::string& word, const std::string& value, Options& out) {
  if (word == "--fields") out.format.fields = split(value);
  if (word == "--messages") out.format.messages = value;
  if (word == "--role") out.format.role_field = value;
  if (word == "--content") out.format.content_field = value;
  if (word == "--skip") out.settings.skip_corrupt = std::atoll(value.c_str());
  if (word == "--threads") out.settings.num_threads = std::atoi(value.c_str());
  if (word == "--equal") {
    const std::size_t at = value.find('=');
    out.settings.filter.equal.push_back({value.substr(0, at), value.substr(at + 1)});
  }
}

Options parse(const std::vector<std::string>& words) {
  Options out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with("--")) {
      out.files.push_back(word);
    } else if (word == "--count") {
      out.counts = true;
    } else {
      set_option(word, words.at(++i), out);
    }
  }
  out.settings.format = out.format;
  return out;
}

void append(std::string& line, char kind, std::string_view text) {
  line += kind;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    line += "0123456789abcdef"[code >> 4];
    line += "0123456789abcdef"[code & 15];
  }
  line += ' ';
}

void print(const Options& options) {
  RecordReader reader(find_data_files(options.files), options.settings);
  RecordBatch batch;
  std::size_t num_bytes = 0;
  while (reader.next_batch(batch)) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Record record = batch.record(i);
      for (const std::string_view field : record.fields)
        num_bytes += field.size();
      for (const Message& message : record.messages)
        num_bytes += message.role.size() + message.content.size();
      if (options.counts) continue;
      std::string line = std::to_string(record.number) + " ";
      for (const std::string_view field : record.fields)
        append(line, 'f', field);
      for (const Message& message : record.messages) {
        append(line, 'r', message.role);
        append(line, 'c', message.content);
      }
      std::puts(line.c_str());
    }
  }
  const RecordCounts& counts = reader.counts();
  std::printf("accepted %lld corrupt %lld unequal %lld bytes %zu\n",
              static_cast<long long>(counts.accepted), static_cast<long long>(counts.corrupt),
              static_cast<long long>(counts.unequal), num_bytes);
}

}  // namespace
}  // namespace meshwright::data

int main(int argc, char** argv) {
  try {
    meshwright::data::print(meshwright::data::parse({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    std::printf("error: %s\n", error.what());
    return 1;
  }
}
