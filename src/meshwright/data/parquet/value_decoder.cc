// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/parquet/value_decoder.h"

#include <algorithm>
#include <array>

#include "meshwright/base/error.h"
#include "meshwright/base/take_bytes.h"
#include "meshwright/data/parquet/bit_runs.h"
#include "meshwright/data/parquet/delta_decoders.h"
#include "meshwright/data/parquet/delta_integers.h"

namespace meshwright::data::parquet {
namespace {

constexpr std::size_t kMaxIndices = 1024;
constexpr std::string_view kBooleans("\0\1", 2);

class PlainText : public ValueDecoder {
 public:
  explicit PlainText(std::string_view bytes) : bytes_(bytes) {}
  std::size_t decode(std::span<std::string_view> out) override {
    for (std::string_view& value : out)
      value = take(bytes_, take_number<std::uint32_t>(bytes_));
    return out.size();
  }

 private:
  std::string_view bytes_;
};

class PlainNumbers : public ValueDecoder {
 public:
  PlainNumbers(std::string_view bytes, std::size_t width) : bytes_(bytes), width_(width) {}
  std::size_t decode(std::span<std::string_view> out) override {
    for (std::string_view& value : out)
      value = take(bytes_, width_);
    return out.size();
  }

 private:
  std::string_view bytes_;
  std::size_t width_;
};

class PlainBooleans : public ValueDecoder {
 public:
  explicit PlainBooleans(std::string_view bytes) : bytes_(bytes) {}
  std::size_t decode(std::span<std::string_view> out) override {
    if (out.size() > bytes_.size() * 8 - bit_) fail(ErrorCode::data_loss, "truncated booleans");
    for (std::string_view& value : out)
      value = kBooleans.substr(bits_at(bytes_, bit_++, 1), 1);
    return out.size();
  }

 private:
  std::string_view bytes_;
  std::size_t bit_ = 0;
};

// Selects values by integers encoded in runs.
class Indexed : public ValueDecoder {
 public:
  Indexed(BitRuns runs, std::span<const std::string_view> values) : runs_(runs), values_(values) {}
  std::size_t decode(std::span<std::string_view> out) override {
    const std::size_t size = std::min(out.size(), kMaxIndices);
    const std::span<std::uint32_t> indices = std::span(indices_).first(size);
    runs_.read(indices);
    for (std::size_t i = 0; i < size; ++i) {
      if (indices[i] >= values_.size()) {
        fail(ErrorCode::data_loss, "index ", indices[i], " into a dictionary of ", values_.size(),
             " values");
      }
      out[i] = values_[indices[i]];
    }
    return size;
  }

 private:
  BitRuns runs_;
  std::span<const std::string_view> values_;
  std::array<std::uint32_t, kMaxIndices> indices_{};
};

std::unique_ptr<ValueDecoder> indexed(std::string_view bytes,
                                      std::span<const std::string_view> dictionary) {
  const auto width =
      bytes.empty() ? 0U : static_cast<unsigned>(static_cast<std::uint8_t>(bytes[0]));
  if (width > 32) fail(ErrorCode::data_loss, "dictionary indices of ", width, " bits");
  if (!bytes.empty()) bytes.remove_prefix(1);
  return std::make_unique<Indexed>(BitRuns(bytes, width), dictionary);
}

std::unique_ptr<ValueDecoder> run_booleans(std::string_view bytes) {
  static constexpr std::array<std::string_view, 2> values = {kBooleans.substr(0, 1),
                                                             kBooleans.substr(1)};
  const std::string_view runs =
      bytes.empty() ? bytes : take(bytes, take_number<std::uint32_t>(bytes));
  return std::make_unique<Indexed>(BitRuns(runs, 1), values);
}

std::size_t width_of(PhysicalType type) {
  switch (type) {
    case PhysicalType::int32:
    case PhysicalType::float32:
      return 4;
    case PhysicalType::int64:
    case PhysicalType::float64:
      return 8;
    default:
      fail(ErrorCode::unimplemented, to_string(type), " values are not supported");
  }
}

std::unique_ptr<ValueDecoder> plain(PhysicalType type, std::string_view bytes) {
  if (type == PhysicalType::byte_array) return std::make_unique<PlainText>(bytes);
  if (type == PhysicalType::boolean) return std::make_unique<PlainBooleans>(bytes);
  return std::make_unique<PlainNumbers>(bytes, width_of(type));
}

}  // namespace

std::unique_ptr<ValueDecoder> make_decoder(Encoding encoding,
                                           PhysicalType type,
                                           std::string_view bytes,
                                           std::span<const std::string_view> dictionary) {
  const bool is_text = type == PhysicalType::byte_array;
  const bool is_integer = type == PhysicalType::int32 || type == PhysicalType::int64;
  switch (encoding) {
    case Encoding::plain:
      return plain(type, bytes);
    case Encoding::plain_dictionary:
    case Encoding::rle_dictionary:
      return indexed(bytes, dictionary);
    case Encoding::rle:
      if (type != PhysicalType::boolean) break;
      return run_booleans(bytes);
    case Encoding::delta_binary_packed:
      if (!is_integer) break;
      return delta_numbers(bytes, width_of(type));
    case Encoding::delta_length_byte_array:
      if (!is_text) break;
      return delta_length_text(bytes);
    case Encoding::delta_byte_array:
      if (!is_text) break;
      return delta_text(bytes);
    default:
      fail(ErrorCode::unimplemented, "encoding ", to_string(encoding), " is not supported");
  }
  fail(ErrorCode::data_loss, "encoding ", to_string(encoding), " of ", to_string(type), " values");
}

std::vector<std::string_view> decode_dictionary(PhysicalType type,
                                                std::string_view bytes,
                                                std::size_t num_values) {
  const std::size_t min_bytes = type == PhysicalType::byte_array ? 4 : width_of(type);
  if (num_values > bytes.size() / min_bytes) {
    fail(ErrorCode::data_loss, "dictionary of ", num_values, " values in ", bytes.size(), " bytes");
  }
  std::vector<std::string_view> out(num_values);
  if (num_values > 0) plain(type, bytes)->decode(out);
  return out;
}

}  // namespace meshwright::data::parquet
