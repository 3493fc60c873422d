// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/records_testutil.h"

#include <fstream>

#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/io/codecs/codec.h"

namespace meshwright::data {
namespace {

std::string encoded(const io::CodecPtr& codec, std::string_view text) {
  return std::string(codec->encode(io::as_bytes(text)).text());
}

Outcome::Item item_of(const Record& record) {
  Outcome::Item out{.fields = {record.fields.begin(), record.fields.end()},
                    .messages = {},
                    .file = record.file,
                    .number = record.number,
                    .offset = record.offset};
  for (const Message& message : record.messages)
    out.messages.push_back(str(message.role, ": ", message.content));
  return out;
}

}  // namespace

std::string gzipped(std::string_view text) {
  return encoded(io::deflate_codec(io::DeflateFraming::gzip), text);
}

std::string zstd_compressed(std::string_view text) {
  return encoded(io::zstd_codec({.checksum = true}), text);
}

std::string data_loss_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data_loss);
    return error.what();
  }
  return "";
}

std::string DataFolder::write(const std::string& name, std::string_view content) const {
  const std::filesystem::path path = folder_.path() / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
  return path.string();
}

std::vector<std::string> Outcome::texts() const {
  std::vector<std::string> out;
  for (const Item& item : items)
    out.push_back(item.fields.at(0));
  return out;
}

Outcome read_all(const std::vector<std::string>& paths, const RecordSettings& settings) {
  Outcome out;
  RecordReader reader(find_data_files(paths), settings);
  try {
    while (std::optional<Record> record = reader.next())
      out.items.push_back(item_of(*record));
  } catch (const Error& error) {
    out.error = error.what();
  }
  out.counts = reader.counts();
  return out;
}

Outcome read_batches(const std::vector<std::string>& paths, const RecordSettings& settings) {
  Outcome out;
  RecordReader reader(find_data_files(paths), settings);
  try {
    RecordBatch batch;
    while (reader.next_batch(batch)) {
      for (std::size_t i = 0; i < batch.size(); ++i)
        out.items.push_back(item_of(batch.record(i)));
    }
  } catch (const Error& error) {
    out.error = error.what();
  }
  out.counts = reader.counts();
  return out;
}

}  // namespace meshwright::data
