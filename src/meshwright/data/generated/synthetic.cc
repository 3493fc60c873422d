// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/generated/synthetic.h"

#include <cstring>

#include "meshwright/base/threefry.h"
#include "meshwright/data/core/lm_batch.h"

namespace meshwright::data {

RandomTokens::RandomTokens(RandomTokensOptions options) : options_(options) {
  MW_CHECK(options.batch_size > 0 && options.length > 0 && options.vocab_size > 0,
           "data: random_tokens: batch size ", options.batch_size, ", length ", options.length,
           ", vocabulary size ", options.vocab_size, "; all must be positive");
  spec_ = lm_batch_spec(options.batch_size, options.length);
}

Tree<Scalar> RandomTokens::identity() const {
  Tree<Scalar> out;
  out["batch_size"] = Scalar(options_.batch_size);
  out["length"] = Scalar(options_.length);
  out["seed"] = Scalar(options_.seed);
  out["vocab_size"] = Scalar(options_.vocab_size);
  return out;
}

Batch RandomTokens::batch(std::int64_t step, Rows rows) const {
  const std::int64_t length = options_.length;
  Batch out = empty_lm_batch(rows.size(), length);
  auto inputs = out.at(kInputs).value().mutable_values<std::int32_t>();
  auto targets = out.at(kTargets).value().mutable_values<std::int32_t>();
  auto weights = out.at(kWeights).value().mutable_values<float>();
  const threefry::KeyWords key = threefry::key(options_.seed, threefry::SeedWidth::bits64);
  std::size_t at = 0;
  for (std::int64_t row = rows.start; row < rows.stop; ++row) {
    // A row has one token more than the inputs: the target of the last one.
    const std::int64_t first = (step * options_.batch_size + row) * (length + 1);
    auto token = [&](std::int64_t i) {
      std::uint64_t bits = threefry::bits64(key, static_cast<std::uint64_t>(first + i));
      return static_cast<std::int32_t>(bits % static_cast<std::uint64_t>(options_.vocab_size));
    };
    std::int32_t next = token(0);
    for (std::int64_t i = 0; i < length; ++i, ++at) {
      inputs[at] = next;
      targets[at] = next = token(i + 1);
      weights[at] = 1;
    }
  }
  return out;
}

ConstantSource::ConstantSource(Batch batch, const Tree<std::vector<std::string>>& axes)
    : batch_(std::move(batch)) {
  auto spec_of = [](const HostTensor& tensor, const std::vector<std::string>& names) {
    return ArraySpec{tensor.type(), names};
  };
  spec_ = map(batch_, axes, spec_of);
  batch_size(*this);  // throws if the axes do not match
}

Batch ConstantSource::batch(std::int64_t /*step*/, Rows rows) const {
  return map(batch_, [&](const HostTensor& all) {
    ArrayType type = all.type();
    const std::size_t row_bytes = all.num_bytes() / static_cast<std::size_t>(type.dims[0]);
    type.dims[0] = rows.size();
    HostTensor out(type);
    std::memcpy(out.mutable_data(), all.data() + static_cast<std::size_t>(rows.start) * row_bytes,
                out.num_bytes());
    return out;
  });
}

}  // namespace meshwright::data
