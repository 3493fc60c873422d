// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meshwright/data/text/tokens_config.h"
#include "meshwright/data/token_files/token_files_testutil.h"

namespace meshwright::data {

/// Returns `count` documents of tokens from 1 to 900, with lengths from 1 to 13.
inline std::vector<std::vector<std::uint32_t>> some_documents(std::uint32_t count) {
  std::vector<std::vector<std::uint32_t>> out(count);
  for (std::uint32_t i = 0; i < count; ++i)
    for (std::uint32_t token = 0; token <= i % 13; ++token)
      out[i].push_back(1 + (i * 31 + token) % 900);
  return out;
}

/// Nothing is held out, and rows have 4 tokens.
inline TokensConfig tokens_of(const std::string& path) {
  TokensConfig out;
  out.path = {path};
  out.held_out = 0;
  out.length = 4;
  return out;
}

}  // namespace meshwright::data
