// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/piece_records.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <simdjson.h>

#include "meshwright/base/str.h"
#include "meshwright/data/records/byte_stream.h"
#include "meshwright/data/records/counted_file.h"
#include "meshwright/data/records/json_fields.h"
#include "meshwright/io/user_file.h"

namespace meshwright::data {
namespace {

bool is_whole_file(const Unit& unit) {
  return unit.begin == 0 && unit.end == Unit{}.end;
}

PieceReader open_pieces(const DataFile& file,
                        const Unit& unit,
                        const RecordSettings& settings,
                        ReadAhead ahead) {
  const auto opened =
      std::make_shared<const CountedFile>(io::open_user_file(file.path), unit.num_bytes_read);
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

class PieceRecords : public RecordSource {
 public:
  PieceRecords(const DataFile& file,
               const Unit& unit,
               const RecordSettings& settings,
               ReadAhead ahead)
      : settings_(settings), pieces_(open_pieces(file, unit, settings, ahead)) {
    if (const auto* format = std::get_if<JsonlFormat>(&settings.format))
      json_.emplace(*format, settings.filter.equal);
  }

  bool next(ParsedRecord& out) override {
    Piece piece;
    if (!pieces_.next(piece)) return false;
    out.parts.offset = piece.offset;
    out.problem = parse(piece, out);
    return true;
  }

  std::int64_t offset() const override { return pieces_.offset(); }

 private:
  std::string parse(const Piece& piece, ParsedRecord& out) {
    if (piece.is_too_long) return str("longer than ", settings_.max_record_bytes, " bytes");
    if (json_) {
      std::string problem = json_->parse(piece.text);
      out.parts.fields = json_->fields();
      out.parts.messages = json_->messages();
      out.is_equal = json_->is_equal();
      return problem;
    }
    text_ = piece.text;
    out.parts.fields = std::span(&text_, 1);
    const bool is_valid = !std::get<TextFormat>(settings_.format).check_utf8 ||
                          simdjson::validate_utf8(text_.data(), text_.size());
    return is_valid ? "" : "not valid UTF-8";
  }

  const RecordSettings& settings_;
  PieceReader pieces_;
  std::optional<JsonFields> json_;
  std::string_view text_;  // the only field of a text document
};

}  // namespace

std::unique_ptr<RecordSource> open_piece_records(const DataFile& file,
                                                 const Unit& unit,
                                                 const RecordSettings& settings,
                                                 ReadAhead ahead) {
  return std::make_unique<PieceRecords>(file, unit, settings, ahead);
}

}  // namespace meshwright::data
