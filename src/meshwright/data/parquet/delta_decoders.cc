// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/parquet/delta_decoders.h"

#include <algorithm>
#include <array>
#include <string>

#include "meshwright/base/error.h"
#include "meshwright/base/take_bytes.h"
#include "meshwright/data/parquet/delta_integers.h"

namespace meshwright::data::parquet {
namespace {

constexpr std::size_t kMaxBatch = 1024;
constexpr std::size_t kMaxJoinedBytes = 1 << 20;

std::uint64_t checked_length(std::int64_t length) {
  // Lengths are 32-bit integers whose sums wrap.
  const auto out = static_cast<std::int32_t>(length);
  if (out < 0) fail(ErrorCode::data_loss, "length ", out, " is negative");
  return static_cast<std::uint64_t>(out);
}

class DeltaNumbers : public ValueDecoder {
 public:
  DeltaNumbers(std::string_view bytes, std::size_t width) : integers_(bytes), width_(width) {}
  std::size_t decode(std::span<std::string_view> out) override {
    const std::size_t size = std::min(out.size(), kMaxBatch);
    integers_.read(std::span(values_).first(size));
    for (std::size_t i = 0; i < size; ++i)
      out[i] = {reinterpret_cast<const char*>(&values_[i]), width_};
    return size;
  }

 private:
  DeltaIntegers integers_;
  std::size_t width_;
  std::array<std::int64_t, kMaxBatch> values_{};
};

class DeltaLengthText : public ValueDecoder {
 public:
  explicit DeltaLengthText(std::string_view bytes) : lengths_(bytes), text_(lengths_.rest()) {}
  std::size_t decode(std::span<std::string_view> out) override {
    const std::size_t size = std::min(out.size(), kMaxBatch);
    lengths_.read(std::span(values_).first(size));
    for (std::size_t i = 0; i < size; ++i)
      out[i] = take(text_, checked_length(values_[i]));
    return size;
  }

 private:
  DeltaIntegers lengths_;
  std::string_view text_;
  std::array<std::int64_t, kMaxBatch> values_{};
};

class DeltaText : public ValueDecoder {
 public:
  explicit DeltaText(std::string_view bytes) : prefixes_(bytes), suffixes_(prefixes_.rest()) {}

  std::size_t decode(std::span<std::string_view> out) override {
    const std::string last = joined_.substr(last_begin_);
    joined_.assign(last);
    std::size_t begin = 0;  // of the last value
    std::size_t size = 0;
    std::array<std::size_t, kMaxBatch> begins{};
    while (size < std::min(out.size(), kMaxBatch) &&
           (size == 0 || joined_.size() < kMaxJoinedBytes)) {
      std::int64_t prefix = 0;
      std::string_view suffix;
      prefixes_.read({&prefix, 1});
      suffixes_.decode({&suffix, 1});
      const std::uint64_t num_shared = checked_length(prefix);
      const std::size_t end = joined_.size();
      if (num_shared > end - begin) {
        fail(ErrorCode::data_loss, "shares ", num_shared, " bytes with a value of ", end - begin);
      }
      joined_.resize(end + num_shared);
      std::copy_n(joined_.begin() + static_cast<std::ptrdiff_t>(begin), num_shared,
                  joined_.begin() + static_cast<std::ptrdiff_t>(end));
      joined_ += suffix;
      begin = begins[size++] = end;
    }
    const std::string_view text = joined_;
    for (std::size_t i = 0; i < size; ++i)
      out[i] = text.substr(begins[i], (i + 1 < size ? begins[i + 1] : text.size()) - begins[i]);
    last_begin_ = begin;
    return size;
  }

 private:
  DeltaIntegers prefixes_;
  DeltaLengthText suffixes_;
  std::string joined_;  // the last value of the batch before, and those of this one
  std::size_t last_begin_ = 0;
};

}  // namespace

std::unique_ptr<ValueDecoder> delta_numbers(std::string_view bytes, std::size_t width) {
  return std::make_unique<DeltaNumbers>(bytes, width);
}

std::unique_ptr<ValueDecoder> delta_length_text(std::string_view bytes) {
  return std::make_unique<DeltaLengthText>(bytes);
}

std::unique_ptr<ValueDecoder> delta_text(std::string_view bytes) {
  return std::make_unique<DeltaText>(bytes);
}

}  // namespace meshwright::data::parquet
