// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/token_files/token_output.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/data/token_files/token_array.h"

namespace meshwright::data {
namespace {

// Returns how many tokens a dtype can represent.
std::int64_t room_of(DType dtype) {
  const int value_bits = bit_width(dtype) - (is_signed(dtype) ? 1 : 0);
  return std::int64_t{1} << std::min(value_bits, 31);
}

template <typename Stored>
void encode_as(std::span<const std::uint32_t> tokens, std::vector<std::byte>& out) {
  out.resize(tokens.size() * sizeof(Stored));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto value = static_cast<Stored>(tokens[i]);
    std::memcpy(out.data() + i * sizeof(Stored), &value, sizeof(Stored));
  }
}

void encode_tokens(std::span<const std::uint32_t> tokens,
                   DType dtype,
                   std::vector<std::byte>& out) {
  switch (byte_size(dtype)) {
    case 1:
      return encode_as<std::uint8_t>(tokens, out);
    case 2:
      return encode_as<std::uint16_t>(tokens, out);
    case 4:
      return encode_as<std::uint32_t>(tokens, out);
    default:
      return encode_as<std::uint64_t>(tokens, out);
  }
}

}  // namespace

StoredAs stored_as(std::int64_t vocab_size,
                   std::optional<DType> wanted,
                   DType large,
                   std::int64_t most_for_u16) {
  const DType dtype = wanted.value_or(vocab_size <= most_for_u16 ? DType::u16 : large);
  MW_CHECK(is_token_dtype(dtype), "tokens cannot be stored as ", dtype);
  MW_CHECK(vocab_size > 0 && vocab_size <= room_of(dtype), "a vocabulary of ", vocab_size,
           " tokens cannot be stored as ", dtype, ", which has room for ", room_of(dtype));
  return {.dtype = dtype, .vocab_size = vocab_size};
}

void check_vocabulary(std::span<const std::uint32_t> tokens,
                      std::int64_t vocab_size,
                      std::int64_t document,
                      const std::string& path) {
  const auto wrong =
      std::ranges::find_if(tokens, [&](std::uint32_t token) { return token >= vocab_size; });
  MW_CHECK(wrong == tokens.end(), "writing ", path, ": token ", *wrong, " at position ",
           wrong - tokens.begin(), " of document ", document,
           " is not below the size of the vocabulary, ", vocab_size);
}

TokenOutput::TokenOutput(std::string path, const StoredAs& stored, std::size_t header_bytes)
    : path_(std::move(path)), stored_(stored), file_(path_) {
  file_.append(std::vector<std::byte>(header_bytes));
}

void TokenOutput::add_document(std::span<const std::uint32_t> tokens) {
  check_vocabulary(tokens, stored_.vocab_size, num_documents_, path_);
  encode_tokens(tokens, stored_.dtype, bytes_);
  file_.append(bytes_);
  num_tokens_ += std::ssize(tokens);
  ++num_documents_;
}

void TokenOutput::write_header(std::string_view text) {
  file_.overwrite(0, io::as_bytes(text));
}

}  // namespace meshwright::data
