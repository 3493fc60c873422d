// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/parquet/column_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/take_bytes.h"

namespace meshwright::data::parquet {
namespace {

unsigned level_width(int max_level) {
  return static_cast<unsigned>(std::bit_width(static_cast<unsigned>(max_level)));
}

void read_levels(BitRuns& runs, int max_level, std::span<std::uint32_t> out) {
  if (max_level == 0) {
    std::fill(out.begin(), out.end(), 0);
    return;
  }
  runs.read(out);
  for (std::uint32_t level : out) {
    if (level > static_cast<std::uint32_t>(max_level))
      fail(ErrorCode::data_loss, "level ", level, " exceeds ", max_level);
  }
}

}  // namespace

ColumnReader::ColumnReader(std::shared_ptr<const io::ReadableFile> file,
                           const ColumnChunk& chunk,
                           const SchemaNode& node,
                           std::string name)
    : pages_(std::move(file), chunk),
      node_(node),
      name_(std::move(name)),
      num_left_(chunk.num_values) {}

bool ColumnReader::refill() {
  try {
    while (num_left_in_page_ == 0) {
      if (!next_page()) return false;
    }
    decode_batch();
    return true;
  } catch (const Error& error) {
    fail(error.code(), "column '", name_, "', page at byte ", pages_.offset(), ": ",
         error.message());
  }
}

// A batch ends early if the decoder returns fewer values than it was asked for, since the next call
// of the decoder invalidates them.
void ColumnReader::decode_batch() {
  if (next_level_ == num_levels_) {
    num_levels_ = std::min(num_left_in_page_, kBatch);
    next_level_ = 0;
    read_levels(repetition_, node_.max_repetition, std::span(repetitions_).first(num_levels_));
    read_levels(definition_, node_.max_definition, std::span(definitions_).first(num_levels_));
  }
  const std::size_t end = num_levels_;
  const auto max_definition = static_cast<std::uint32_t>(node_.max_definition);
  std::size_t num_wanted = static_cast<std::size_t>(
      std::count(definitions_.begin() + static_cast<std::ptrdiff_t>(next_level_),
                 definitions_.begin() + static_cast<std::ptrdiff_t>(end), max_definition));
  std::size_t num_values = 0;
  if (num_wanted > 0) num_values = values_->decode(std::span(decoded_).first(num_wanted));
  next_ = num_entries_ = 0;
  std::size_t used = 0;
  for (; next_level_ < end; ++next_level_) {
    Entry& entry = entries_[num_entries_];
    const std::uint32_t definition = definitions_[next_level_];
    if (definition == max_definition) {
      if (used == num_values) break;
      entry.value = decoded_[used++];
    }
    entry.repetition = static_cast<int>(repetitions_[next_level_]);
    entry.definition = static_cast<int>(definition);
    ++num_entries_;
  }
  num_left_in_page_ -= num_entries_;
}

bool ColumnReader::next_page() {
  Page page;
  if (!pages_.next(page)) {
    if (num_left_ > 0) fail(ErrorCode::data_loss, "ends with ", num_left_, " values missing");
    return false;
  }
  if (page.header.kind == PageKind::index) return true;
  if (page.header.kind == PageKind::dictionary) {
    use_dictionary(page);
  } else {
    begin_page(page);
  }
  return true;
}

// The page is copied, since the next one takes its memory.
void ColumnReader::use_dictionary(const Page& page) {
  if (has_dictionary_) fail(ErrorCode::data_loss, "has a second dictionary");
  const Encoding encoding = page.header.encoding;
  if (encoding != Encoding::plain && encoding != Encoding::plain_dictionary)
    fail(ErrorCode::data_loss, "dictionary in encoding ", to_string(encoding));
  dictionary_bytes_ = io::Buffer(page.body.size());
  if (!page.body.empty()) std::memcpy(dictionary_bytes_.data(), page.body.data(), page.body.size());
  dictionary_ = decode_dictionary(node_.type, dictionary_bytes_.text(), page.header.num_values);
  has_dictionary_ = true;
}

void ColumnReader::begin_page(const Page& page) {
  const std::size_t num_values = page.header.num_values;
  if (num_values > num_left_) {
    fail(ErrorCode::data_loss, "has ", num_values, " values, but the column has ", num_left_,
         " left");
  }
  std::string_view body = page.body;
  begin_levels(page, body);
  const Encoding encoding = page.header.encoding;
  if (num_values == 0) return;
  const bool is_indexed =
      encoding == Encoding::plain_dictionary || encoding == Encoding::rle_dictionary;
  if (is_indexed && !has_dictionary_) fail(ErrorCode::data_loss, "needs a dictionary, has none");
  // Writers may store nothing at all for a page of nulls.
  values_ = body.empty() && encoding != Encoding::byte_stream_split
                ? make_decoder(Encoding::plain, node_.type, body, dictionary_)
                : make_decoder(encoding, node_.type, body, dictionary_);
  num_left_ -= num_values;
  num_left_in_page_ = num_values;
  num_levels_ = next_level_ = 0;
}

void ColumnReader::begin_levels(const Page& page, std::string_view& body) {
  const auto begin = [&](int max_level, Encoding encoding, std::string_view v2) {
    if (max_level == 0) return BitRuns();
    if (page.header.kind == PageKind::data_v2) return BitRuns(v2, level_width(max_level));
    if (encoding != Encoding::rle)
      fail(ErrorCode::unimplemented, "levels in encoding ", to_string(encoding),
           " are not supported");
    const std::uint32_t size = take_number<std::uint32_t>(body);
    return BitRuns(take(body, size), level_width(max_level));
  };
  repetition_ =
      begin(node_.max_repetition, page.header.repetition_encoding, page.repetition_levels);
  definition_ =
      begin(node_.max_definition, page.header.definition_encoding, page.definition_levels);
}

}  // namespace meshwright::data::parquet
