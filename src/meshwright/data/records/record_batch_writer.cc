// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/record_batch_writer.h"

#include <cstring>
#include <utility>

namespace meshwright::data {
namespace {

constexpr std::size_t kBatchBytes = 256 << 10;  // fits a core's cache
constexpr std::size_t kMaxRecords = 4096;
constexpr std::size_t kMaxCorrupt = 64;

}  // namespace

RecordBatchWriter::RecordBatchWriter(RecordBatch& batch, std::size_t file) : batch_(batch) {
  batch.file_ = file;
  batch.entries_.clear();
  batch.fields_.clear();
  batch.messages_.clear();
  batch.corrupt_.clear();
  batch.dropped_ = {};
}

bool RecordBatchWriter::add(const RecordParts& record) {
  if (batch_.entries_.empty() && batch_.bytes_.size() != kBatchBytes)
    batch_.bytes_ = io::Buffer(kBatchBytes);
  std::size_t size = 0;
  for (std::string_view field : record.fields)
    size += field.size();
  for (const Message& message : record.messages)
    size += message.role.size() + message.content.size();
  if (num_bytes_ + size > batch_.bytes_.size() || batch_.entries_.size() == kMaxRecords) {
    if (!batch_.entries_.empty()) return false;
    batch_.bytes_ = io::Buffer(size);
  }
  for (std::string_view field : record.fields)
    batch_.fields_.push_back(copy(field));
  for (const Message& message : record.messages)
    batch_.messages_.push_back({copy(message.role), copy(message.content)});
  add_entry(record);
  return true;
}

void RecordBatchWriter::borrow(const RecordParts& record) {
  batch_.fields_.insert(batch_.fields_.end(), record.fields.begin(), record.fields.end());
  batch_.messages_.insert(batch_.messages_.end(), record.messages.begin(), record.messages.end());
  add_entry(record);
}

void RecordBatchWriter::add_entry(const RecordParts& record) {
  batch_.entries_.push_back({.number = record.number,
                             .offset = record.offset,
                             .fields_end = batch_.fields_.size(),
                             .messages_end = batch_.messages_.size()});
}

bool RecordBatchWriter::add_corrupt(CorruptRecord corrupt) {
  corrupt.num_before = batch_.entries_.size();
  batch_.corrupt_.push_back(std::move(corrupt));
  return batch_.corrupt_.size() < kMaxCorrupt;
}

std::string_view RecordBatchWriter::copy(std::string_view text) {
  char* const begin = reinterpret_cast<char*>(batch_.bytes_.data()) + num_bytes_;
  if (!text.empty()) std::memcpy(begin, text.data(), text.size());
  num_bytes_ += text.size();
  return {begin, text.size()};
}

}  // namespace meshwright::data
