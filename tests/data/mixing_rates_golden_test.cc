// SPDX-License-Identifier: Apache-2.0
// Compares the weights of mixtures by size with those of SeqIO.
#include <cstdint>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>

#include "meshwright/data/mixture/rates.h"

namespace meshwright::data {
namespace {

TEST(MixingRatesGolden, AreThoseOfSeqio) {
  std::ifstream in(GOLDEN_FOLDER "/rates.tsv");
  std::int64_t num_examples = 0, maximum = 0;
  double temperature = 0, rate = 0;
  int num_lines = 0;
  for (; in >> num_examples >> maximum >> temperature >> rate; ++num_lines) {
    const std::optional<std::int64_t> limit = maximum > 0 ? std::optional(maximum) : std::nullopt;
    EXPECT_NEAR(mixing_rate(num_examples, limit, temperature) / rate, 1, 1e-14)
        << num_examples << " " << maximum << " " << temperature;
  }
  EXPECT_EQ(num_lines, 396);
}

}  // namespace
}  // namespace meshwright::data
