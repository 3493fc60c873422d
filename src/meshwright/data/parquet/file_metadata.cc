// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/parquet/file_metadata.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/take_bytes.h"
#include "meshwright/data/parquet/thrift_reader.h"
#include "meshwright/io/buffer.h"

namespace meshwright::data::parquet {
namespace {

constexpr std::string_view kMagic = "PAR1";
constexpr std::string_view kEncryptedMagic = "PARE";
constexpr std::int64_t kMaxRows = std::int64_t{1} << 48;
constexpr std::uint64_t kTailBytes = 8;  // the length of the footer and the magic
constexpr std::uint64_t kMaxFooterBytes = std::uint64_t{256} << 20;

io::Buffer read_at(const io::ReadableFile& file, std::uint64_t offset, std::uint64_t num_bytes) {
  io::Buffer out(num_bytes);
  file.read(offset, out.span());
  return out;
}

io::Buffer read_footer(const io::ReadableFile& file) {
  const std::uint64_t num_bytes = file.num_bytes();
  if (num_bytes < kMagic.size() + kTailBytes)
    fail(ErrorCode::data_loss, "not a Parquet file: has ", num_bytes, " bytes");
  const io::Buffer head = read_at(file, 0, kMagic.size());
  const io::Buffer tail = read_at(file, num_bytes - kTailBytes, kTailBytes);
  std::string_view rest = tail.text();
  const std::uint64_t num_footer = take_number<std::uint32_t>(rest);
  if (rest == kEncryptedMagic || head.text() == kEncryptedMagic)
    fail(ErrorCode::unimplemented, "is an encrypted Parquet file, which is not supported");
  if (head.text() != kMagic)
    fail(ErrorCode::data_loss, "not a Parquet file: does not begin with PAR1");
  if (rest != kMagic)
    fail(ErrorCode::data_loss, "does not end with PAR1; the Parquet file is truncated");
  if (num_footer > num_bytes - kMagic.size() - kTailBytes)
    fail(ErrorCode::data_loss, "has ", num_bytes, " bytes, fewer than its footer of ", num_footer);
  if (num_footer > kMaxFooterBytes)
    fail(ErrorCode::data_loss, "footer has ", num_footer, " bytes, at most ", kMaxFooterBytes);
  return read_at(file, num_bytes - kTailBytes - num_footer, num_footer);
}

class ChunkParser {
 public:
  ChunkParser(ThriftReader& reader, std::uint64_t num_file_bytes)
      : reader_(reader), num_file_bytes_(num_file_bytes) {}

  ColumnChunk parse(const ThriftField& field) {
    bool is_encrypted = false;
    bool has_path = false;
    reader_.read_struct(field, [&](const ThriftField& f) {
      if (f.id == 1) {
        has_path = !reader_.text(f).empty();
        return true;
      }
      is_encrypted = is_encrypted || f.id == 8 || f.id == 9;
      if (f.id != 3) return false;
      reader_.read_struct(f, [&](const ThriftField& detail) { return read_detail(detail); });
      return true;
    });
    if (is_encrypted) fail(ErrorCode::unimplemented, "is encrypted, which is not supported");
    if (has_path) fail(ErrorCode::unimplemented, "is in another file, which is not supported");
    return checked();
  }

 private:
  bool read_detail(const ThriftField& field) {
    switch (field.id) {
      case 4:
        codec_ = reader_.integer(field);
        return true;
      case 5:
        num_values_ = reader_.integer(field);
        return true;
      case 7:
        num_bytes_ = reader_.integer(field);
        return true;
      case 9:
        data_offset_ = reader_.integer(field);
        return true;
      case 11:
        dictionary_offset_ = reader_.integer(field);
        return true;
      default:
        return false;
    }
  }

  // Some writers set the offset of an absent dictionary to 0.
  ColumnChunk checked() const {
    if (!codec_ || !num_values_ || !num_bytes_ || !data_offset_)
      fail(ErrorCode::data_loss, "lacks required metadata");
    const bool has_dictionary = dictionary_offset_ > 0 && dictionary_offset_ < *data_offset_;
    const std::int64_t offset = has_dictionary ? dictionary_offset_ : *data_offset_;
    if (offset < 0 || *num_bytes_ < 0 || *num_values_ < 0)
      fail(ErrorCode::data_loss, "has a negative size or offset");
    const auto begin = static_cast<std::uint64_t>(offset);
    const auto num_bytes = static_cast<std::uint64_t>(*num_bytes_);
    if (begin > num_file_bytes_ || num_bytes > num_file_bytes_ - begin) {
      fail(ErrorCode::data_loss, "has ", num_bytes, " bytes at byte ", begin,
           ", beyond the end of the file at byte ", num_file_bytes_);
    }
    return {.codec = checked_codec(*codec_),
            .offset = begin,
            .num_bytes = num_bytes,
            .num_values = static_cast<std::uint64_t>(*num_values_)};
  }

  ThriftReader& reader_;
  std::uint64_t num_file_bytes_;
  std::optional<std::int64_t> codec_;
  std::optional<std::int64_t> num_values_;
  std::optional<std::int64_t> num_bytes_;
  std::optional<std::int64_t> data_offset_;
  std::int64_t dictionary_offset_ = 0;
};

// Reads the chunks of these leaves, and returns the number of all columns.
std::size_t read_columns(ThriftReader& reader,
                         const ThriftField& list,
                         const std::vector<std::size_t>& leaves,
                         std::uint64_t num_file_bytes,
                         RowGroup& out) {
  std::size_t num_columns = 0;
  reader.read_list(list, [&](const ThriftField& column) {
    const std::size_t leaf = num_columns++;
    if (std::find(leaves.begin(), leaves.end(), leaf) == leaves.end()) return false;
    try {
      const ColumnChunk chunk = ChunkParser(reader, num_file_bytes).parse(column);
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        if (leaves[i] == leaf) out.chunks[i] = chunk;
      }
    } catch (const Error& error) {
      fail(error.code(), "column ", leaf, ": ", error.message());
    }
    return true;
  });
  return num_columns;
}

RowGroup read_row_group(ThriftReader& reader,
                        const ThriftField& field,
                        const std::vector<std::size_t>& leaves,
                        std::uint64_t num_file_bytes,
                        std::int64_t max_rows) {
  RowGroup out;
  out.chunks.resize(leaves.size());
  std::size_t num_columns = 0;
  std::int64_t num_rows = -1;
  reader.read_struct(field, [&](const ThriftField& f) {
    if (f.id == 3) {
      num_rows = reader.integer(f);
      return true;
    }
    if (f.id != 1) return false;
    num_columns = read_columns(reader, f, leaves, num_file_bytes, out);
    return true;
  });
  if (num_rows < 0 || num_rows > max_rows)
    fail(ErrorCode::data_loss, "the number of rows is missing or out of range");
  if (std::any_of(leaves.begin(), leaves.end(), [&](auto leaf) { return leaf >= num_columns; }))
    fail(ErrorCode::data_loss, "has ", num_columns, " columns, fewer than the schema");
  out.num_rows = num_rows;
  return out;
}

FileMetadata parse(std::string_view footer,
                   std::uint64_t num_file_bytes,
                   const ChooseLeaves& choose) {
  FileMetadata out;
  ThriftReader schema_reader(footer);
  schema_reader.read_struct([&](const ThriftField& field) {
    if (field.id != 2) return false;
    out.schema = Schema::parse(schema_reader, field);
    return true;
  });
  if (out.schema.num_leaves() == 0) fail(ErrorCode::data_loss, "has no columns");
  const std::vector<std::size_t> leaves = choose(out.schema);
  ThriftReader reader(footer);
  std::int64_t max_rows = kMaxRows;
  reader.read_struct([&](const ThriftField& field) {
    if (field.id != 4) return false;
    reader.read_list(field, [&](const ThriftField& group) {
      try {
        out.row_groups.push_back(read_row_group(reader, group, leaves, num_file_bytes, max_rows));
        max_rows -= out.row_groups.back().num_rows;
      } catch (const Error& error) {
        fail(error.code(), "row group ", out.row_groups.size(), ": ", error.message());
      }
      return true;
    });
    return true;
  });
  return out;
}

}  // namespace

FileMetadata read_metadata(const io::ReadableFile& file,
                           const std::string& name,
                           const ChooseLeaves& choose) {
  try {
    return parse(read_footer(file).text(), file.num_bytes(), choose);
  } catch (const Error& error) {
    fail(error.code(), name, ": ", error.message());
  }
}

}  // namespace meshwright::data::parquet
