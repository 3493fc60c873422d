// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/record.h"

namespace meshwright::data {

RecordCounts& RecordCounts::operator+=(const RecordCounts& other) {
  accepted += other.accepted;
  too_short += other.too_short;
  too_long += other.too_long;
  unequal += other.unequal;
  corrupt += other.corrupt;
  return *this;
}

Record RecordBatch::record(std::size_t index) const {
  const Entry& entry = entries_.at(index);
  const std::size_t fields_begin = index == 0 ? 0 : entries_[index - 1].fields_end;
  const std::size_t messages_begin = index == 0 ? 0 : entries_[index - 1].messages_end;
  return {
      .fields = std::span(fields_).subspan(fields_begin, entry.fields_end - fields_begin),
      .messages = std::span(messages_).subspan(messages_begin, entry.messages_end - messages_begin),
      .file = file_,
      .number = entry.number,
      .offset = entry.offset};
}

}  // namespace meshwright::data
