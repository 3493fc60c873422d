// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/token_files/token_array.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/data/records/data_files.h"
#include "meshwright/io/user_file.h"

namespace meshwright::data {
namespace {

template <typename Stored>
std::int32_t token_of(Stored value) {
  if constexpr (sizeof(Stored) > sizeof(std::int32_t) || std::is_same_v<Stored, std::uint32_t>) {
    constexpr auto kMax = static_cast<Stored>(std::numeric_limits<std::int32_t>::max());
    if (value > kMax) return kNoToken;
  }
  if constexpr (std::is_signed_v<Stored>) {
    if (value < 0) return kNoToken;
  }
  return static_cast<std::int32_t>(value);
}

template <typename Stored>
void decode_as(std::span<const std::byte> stored, std::span<std::int32_t> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    Stored value;
    std::memcpy(&value, stored.data() + i * sizeof(Stored), sizeof(Stored));
    out[i] = token_of(value);
  }
}

class PlainTokenArray : public TokenArray {
 public:
  explicit PlainTokenArray(PlainTokens tokens)
      : tokens_(std::move(tokens)), described_(describe_data_file(tokens_.path)) {
    std::unique_ptr<io::ReadableFile> file = io::open_user_file(tokens_.path);
    const std::uint64_t room = file->num_bytes() - std::min(file->num_bytes(), tokens_.offset);
    if (room / byte_size(tokens_.dtype) < static_cast<std::uint64_t>(tokens_.size)) {
      fail(ErrorCode::data_loss, tokens_.path, ": has ", file->num_bytes(), " bytes, too few for ",
           tokens_.size, " tokens of ", byte_size(tokens_.dtype), " bytes from byte ",
           tokens_.offset, " on");
    }
    if (tokens_.stays_open) file_ = std::move(file);
  }

  const std::string& name() const override { return tokens_.path; }
  std::int64_t size() const override { return tokens_.size; }
  std::int64_t byte_offset(std::int64_t token) const override {
    return static_cast<std::int64_t>(tokens_.offset) +
           token * static_cast<std::int64_t>(byte_size(tokens_.dtype));
  }
  void read(std::int64_t begin, std::span<std::int32_t> out) const override {
    const std::size_t element_bytes = byte_size(tokens_.dtype);
    io::Buffer stored(out.size() * element_bytes);
    const std::uint64_t offset = tokens_.offset + static_cast<std::uint64_t>(begin) * element_bytes;
    if (file_ != nullptr)
      file_->read(offset, stored.span());
    else
      io::open_user_file(tokens_.path)->read(offset, stored.span());
    check_unchanged(described_);
    decode_tokens(stored.span(), tokens_.dtype, out);
  }

 private:
  PlainTokens tokens_;
  DataFile described_;
  std::unique_ptr<io::ReadableFile> file_;  // null unless it stays open
};

class MemoryTokenArray : public TokenArray {
 public:
  MemoryTokenArray(std::string name, io::Buffer elements, DType dtype)
      : name_(std::move(name)), elements_(std::move(elements)), dtype_(dtype) {}

  const std::string& name() const override { return name_; }
  std::int64_t size() const override {
    return static_cast<std::int64_t>(elements_.size() / byte_size(dtype_));
  }
  std::int64_t byte_offset(std::int64_t token) const override {
    return token * static_cast<std::int64_t>(byte_size(dtype_));
  }
  void read(std::int64_t begin, std::span<std::int32_t> out) const override {
    const std::size_t element_bytes = byte_size(dtype_);
    decode_tokens(elements_.span().subspan(static_cast<std::size_t>(begin) * element_bytes,
                                           out.size() * element_bytes),
                  dtype_, out);
  }

 private:
  std::string name_;
  io::Buffer elements_;
  DType dtype_;
};

}  // namespace

TokenArrayPtr plain_tokens(PlainTokens tokens) {
  return std::make_shared<PlainTokenArray>(std::move(tokens));
}

TokenArrayPtr tokens_in_memory(std::string name, io::Buffer elements, DType dtype) {
  return std::make_shared<MemoryTokenArray>(std::move(name), std::move(elements), dtype);
}

bool is_token_dtype(DType dtype) {
  return is_integer(dtype) && dtype != DType::s4 && dtype != DType::u4;
}

void decode_tokens(std::span<const std::byte> stored, DType dtype, std::span<std::int32_t> out) {
  switch (dtype) {
    case DType::u8:
      return decode_as<std::uint8_t>(stored, out);
    case DType::s8:
      return decode_as<std::int8_t>(stored, out);
    case DType::u16:
      return decode_as<std::uint16_t>(stored, out);
    case DType::s16:
      return decode_as<std::int16_t>(stored, out);
    case DType::u32:
      return decode_as<std::uint32_t>(stored, out);
    case DType::s32:
      return decode_as<std::int32_t>(stored, out);
    case DType::u64:
      return decode_as<std::uint64_t>(stored, out);
    case DType::s64:
      return decode_as<std::int64_t>(stored, out);
    default:
      fail(ErrorCode::internal, "tokens of ", dtype);
  }
}

}  // namespace meshwright::data
