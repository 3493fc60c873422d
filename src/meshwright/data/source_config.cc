// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/source_config.h"

#include "meshwright/data/arithmetic.h"
#include "meshwright/data/synthetic.h"

namespace meshwright::data {

SourcePtr ArithmeticConfig::make(std::int64_t seed) const {
  return std::make_shared<ArithmeticSource>(ArithmeticOptions{
      .batch_size = batch_size, .seed = seed, .num_digits = static_cast<int>(num_digits)});
}

SourcePtr HeldOutArithmeticConfig::make(std::int64_t /*seed*/) const {
  return held_out_arithmetic(batch_size, static_cast<int>(num_digits));
}

SourcePtr RandomTokensConfig::make(std::int64_t seed) const {
  return std::make_shared<RandomTokens>(RandomTokensOptions{
      .batch_size = batch_size, .length = length, .vocab_size = vocab_size, .seed = seed});
}

SourcePtr make_source(const SourceConfig& config, std::int64_t seed) {
  return std::visit([&](const auto& source) { return source.make(seed); },
                    static_cast<const SourceChoice&>(config));
}

}  // namespace meshwright::data
