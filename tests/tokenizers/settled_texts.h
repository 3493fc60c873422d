// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/tokenizers/core/tokenizer.h"
#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::tokenizers {

/// Expects that the text of settled ids begins the text of all ids, for random ids. Returns the
/// fraction of the ids that were settled when they were the last ones.
inline double expect_settled_texts_begin_whole_texts(const Tokenizer& tokenizer,
                                                     const std::string& name) {
  std::mt19937 random(1);
  std::uniform_int_distribution<Id> id(0, static_cast<Id>(tokenizer.vocab_size()) - 1);
  const auto text_of = [&](std::span<const Id> ids) {
    std::string storage;
    return std::string(to_valid_utf8(tokenizer.decode(ids), storage));
  };
  int num_settled = 0, num_ids = 0;
  for (int i = 0; i < 500; ++i) {
    std::vector<Id> ids(12);
    for (Id& each : ids)
      each = id(random);
    const std::string whole = text_of(ids);
    for (std::size_t size = 1; size <= ids.size(); ++size) {
      const std::span<const Id> first = std::span(ids).first(size);
      const std::size_t settled = tokenizer.num_settled(first);
      EXPECT_LE(settled, size) << name;
      EXPECT_TRUE(whole.starts_with(text_of(first.first(settled))))
          << name << ": " << settled << " of " << size << " ids of " << whole;
      num_settled += settled == size ? 1 : 0;
      ++num_ids;
    }
  }
  return static_cast<double>(num_settled) / num_ids;
}

}  // namespace meshwright::tokenizers
