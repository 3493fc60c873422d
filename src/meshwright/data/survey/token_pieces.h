// SPDX-License-Identifier: Apache-2.0
// Internal to survey/: reads a file of tokens once, from the beginning to the end.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "meshwright/base/digest.h"
#include "meshwright/base/error.h"
#include "meshwright/data/token_files/token_file.h"

namespace meshwright::data {

/// Consecutive tokens of a document.
struct TokenPiece {
  std::int64_t document = 0;  // in the file
  std::int64_t position = 0;  // of the first token, in the file
  std::span<const std::int32_t> tokens = {};
  bool is_last = false;  // of its document
};

/// Calls `visit` with the pieces of all documents, in order. A document without tokens is an empty
/// piece. Where reading fails with data_loss, calls `on_damage`, and those tokens are missing from
/// the pieces. Memory: a few MB, however long documents are.
void for_each_piece(const TokenFile& file,
                    const std::function<void(const TokenPiece&)>& visit,
                    const std::function<void(const Error&)>& on_damage);

/// Hashes documents that arrive in pieces, as hash_of_tokens() does.
class PieceHash {
 public:
  /// Returns the hash of the document if the piece is its last.
  std::optional<std::uint64_t> add(const TokenPiece& piece);

 private:
  std::optional<Digest> digest_;  // of the pieces so far
};

}  // namespace meshwright::data
