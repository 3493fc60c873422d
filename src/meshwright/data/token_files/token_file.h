// SPDX-License-Identifier: Apache-2.0
// Internal to token_files/: what the reader of a format returns.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "meshwright/data/documents/number_store.h"
#include "meshwright/data/token_files/token_array.h"

namespace meshwright::data {

struct TokenFile {
  std::int64_t num_documents() const { return begins.size() - 1; }
  /// Returns the number of tokens of a document.
  std::int64_t length(std::int64_t document) const {
    return begins[document + 1] - begins[document];
  }

  TokenArrayPtr tokens = {};
  /// The first token of each document, followed by the number of tokens. None if the format does
  /// not say where documents begin.
  Numbers begins = {};
  /// Differs if the content does, and stays when the file is moved.
  std::string fingerprint = {};
  /// The time of the file; 0 for formats that say where documents begin and which token is largest.
  std::int64_t modified_nanoseconds = 0;
  /// No token is larger; nullopt if the format does not say.
  std::optional<std::int64_t> max_token = {};
  /// Reads all that is stored and throws data_loss for damage that reading the tokens does not
  /// find, such as a wrong checksum. Empty if there is no more to check.
  std::function<void()> verify = {};
};

}  // namespace meshwright::data
