// SPDX-License-Identifier: Apache-2.0
// Internal to token_files/: the file of a writer that stores tokens as plain integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/io/user_file_writer.h"
#include "meshwright/tensor/dtype.h"

namespace meshwright::data {

struct StoredAs {
  DType dtype = DType::u16;
  std::int64_t vocab_size = 0;
};

/// Returns `wanted`, or u16 or `large` if absent, whichever has room for the vocabulary. Throws
/// invalid_argument if the dtype is not one of integers that can hold all tokens.
StoredAs stored_as(std::int64_t vocab_size,
                   std::optional<DType> wanted,
                   DType large,
                   std::int64_t most_for_u16 = std::int64_t{1} << 16);

/// Throws invalid_argument if a token is not in the vocabulary.
void check_vocabulary(std::span<const std::uint32_t> tokens,
                      std::int64_t vocab_size,
                      std::int64_t document,
                      const std::string& path);

class TokenOutput {
 public:
  /// Leaves room for a header.
  TokenOutput(std::string path, const StoredAs& stored, std::size_t header_bytes);

  void add_document(std::span<const std::uint32_t> tokens);
  std::int64_t num_tokens() const { return num_tokens_; }
  std::int64_t num_documents() const { return num_documents_; }
  const StoredAs& stored() const { return stored_; }
  const std::string& path() const { return path_; }

  /// `text` must have header_bytes bytes.
  void write_header(std::string_view text);
  io::UserFileWriter& file() { return file_; }

 private:
  std::string path_;
  StoredAs stored_;
  io::UserFileWriter file_;
  std::int64_t num_tokens_ = 0;
  std::int64_t num_documents_ = 0;
  std::vector<std::byte> bytes_;  // scratch memory
};

}  // namespace meshwright::data
