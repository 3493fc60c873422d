// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/unit_reader.h"

#include <algorithm>
#include <utility>

#include <simdjson.h>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/data/records/byte_stream.h"
#include "meshwright/io/user_file.h"

namespace meshwright::data {
namespace {

bool has_lines(const RecordSettings& settings) {
  const auto* text = std::get_if<TextFormat>(&settings.format);
  return text == nullptr || text->split == TextSplit::lines;
}

bool is_whole_file(const Unit& unit) {
  return unit.begin == 0 && unit.end == Unit{}.end;
}

PieceReader open_pieces(const DataFile& file,
                        const Unit& unit,
                        const RecordSettings& settings,
                        ReadAhead ahead) {
  check_unchanged(file);
  std::shared_ptr<const io::ReadableFile> opened = io::open_user_file(file.path);
  PieceOptions options{
      .max_bytes = settings.max_record_bytes, .begin = unit.begin, .end = unit.end};
  if (const auto* text = std::get_if<TextFormat>(&settings.format)) {
    options.split = text->split;
    options.separator = text->separator;
  }
  std::unique_ptr<ByteStream> stream;
  if (!is_whole_file(unit)) {
    stream = plain_stream(opened, std::max<std::int64_t>(0, unit.begin - 1));
  } else {
    if (compression_of(*opened, file.path) == Compression::none) ahead = ReadAhead::no;
    stream =
        open_byte_stream(opened, file.path, {.max_zstd_window_log = settings.max_zstd_window_log});
  }
  return {std::move(stream), options, ahead};
}

std::string without_prefix(const std::string& message, const std::string& prefix) {
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

}  // namespace

std::vector<Unit> units_of(const std::vector<DataFile>& files,
                           const RecordSettings& settings,
                           std::int64_t range_bytes) {
  std::vector<Unit> out;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const DataFile& file = files[i];
    const bool is_split =
        has_lines(settings) && file.num_bytes > range_bytes &&
        compression_of(*io::open_user_file(file.path), file.path) == Compression::none;
    if (!is_split) {
      out.push_back({.file = i});
      continue;
    }
    for (std::int64_t begin = 0; begin < file.num_bytes; begin += range_bytes)
      out.push_back({.file = i, .begin = begin, .end = begin + range_bytes});
  }
  return out;
}

UnitReader::UnitReader(const DataFile& file,
                       const Unit& unit,
                       const RecordSettings& settings,
                       ReadAhead ahead)
    : settings_(settings),
      file_(unit.file),
      name_(file.path),
      pieces_(open_pieces(file, unit, settings, ahead)) {
  if (const auto* format = std::get_if<JsonlFormat>(&settings.format))
    json_.emplace(*format, settings.filter.equal);
}

bool UnitReader::read(RecordBatch& batch) {
  RecordBatchWriter writer(batch, file_);
  Step step = Step::record;
  while (step == Step::record) {
    if (!has_pending_) step = advance(writer);
    if (step != Step::record) break;
    has_pending_ = !writer.add(current_);
    if (has_pending_) step = Step::batch_full;
  }
  writer.set_num_read(num_pieces_);
  return step != Step::end;
}

bool UnitReader::read_one(RecordBatch& batch) {
  RecordBatchWriter writer(batch, file_);
  const Step step = advance(writer);
  if (step == Step::record) writer.borrow(current_);
  writer.set_num_read(num_pieces_);
  return step != Step::end;
}

// Finds the next record that the filters accept.
UnitReader::Step UnitReader::advance(RecordBatchWriter& batch) {
  Piece piece;
  std::string problem;
  while (next_piece(piece, problem)) {
    current_.number = num_pieces_++;
    current_.offset = piece.offset;
    if (problem.empty()) problem = parse(piece);
    if (problem.empty()) {
      if (is_accepted(batch.dropped())) return Step::record;
      continue;
    }
    const bool has_room = batch.add_corrupt({.number = current_.number,
                                             .offset = current_.offset,
                                             .reason = std::exchange(problem, {})});
    if (!has_room) return Step::batch_full;
  }
  return Step::end;
}

// Damage to the stream takes the place of the last record.
bool UnitReader::next_piece(Piece& piece, std::string& damage) {
  if (is_damaged_) return false;
  try {
    return pieces_.next(piece);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::data_loss) throw;
    is_damaged_ = true;
    damage = without_prefix(error.message(), name_ + ": ");
    piece = {.text = {}, .offset = pieces_.offset()};
    return true;
  }
}

std::string UnitReader::parse(const Piece& piece) {
  if (piece.is_too_long) return str("longer than ", settings_.max_record_bytes, " bytes");
  if (json_) {
    std::string problem = json_->parse(piece.text);
    current_.fields = json_->fields();
    current_.messages = json_->messages();
    return problem;
  }
  text_ = piece.text;
  current_.fields = std::span(&text_, 1);
  const bool is_valid = !std::get<TextFormat>(settings_.format).check_utf8 ||
                        simdjson::validate_utf8(text_.data(), text_.size());
  return is_valid ? "" : "not valid UTF-8";
}

bool UnitReader::is_accepted(RecordCounts& dropped) const {
  if (json_ && !json_->is_equal()) {
    ++dropped.unequal;
    return false;
  }
  std::int64_t num_bytes = 0;
  for (std::string_view field : current_.fields)
    num_bytes += std::ssize(field);
  for (const Message& message : current_.messages)
    num_bytes += std::ssize(message.content);
  if (num_bytes < settings_.filter.min_bytes) {
    ++dropped.too_short;
    return false;
  }
  if (num_bytes > settings_.filter.max_bytes) {
    ++dropped.too_long;
    return false;
  }
  return true;
}

}  // namespace meshwright::data
