// SPDX-License-Identifier: Apache-2.0
#include "meshwright/models/prompts.h"

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"

namespace meshwright::models {

void check_prompts(std::string_view function,
                   const Value& prompts,
                   const Value& lengths,
                   const DecodeOptions& options) {
  MW_CHECK(prompts.rank() == 2 && prompts.dtype() == s32 && prompts.dim(1) >= 1, function,
           ": prompts must be s32 [batch, len], got ", prompts);
  MW_CHECK(lengths.type() == ArrayType({s32, {prompts.dim(0)}}), function, ": the lengths of ",
           prompts, " must be s32[", prompts.dim(0), "], got ", lengths);
  MW_CHECK(!options.max_tokens || *options.max_tokens >= 1, function, ": max_tokens is ",
           options.max_tokens.value_or(0), ", expected at least 1");
  MW_CHECK(options.max_len >= prompts.dim(1), function, ": max_len is ", options.max_len,
           ", less than the prompt length ", prompts.dim(1));
}

Value padded_prompts(Value prompts, Value lengths, const DecodeOptions& options) {
  Value in_prompt = graph::iota(s32, prompts.dims(), 1) < expand_dims(lengths, {1});
  Value known = where(in_prompt, prompts, options.pad_token);
  std::int64_t room = options.max_len - prompts.dim(1);
  return pad(known, options.pad_token, {.low = {0, 0}, .high = {0, room}});
}

Value is_one_of(Value tokens, const std::vector<std::int32_t>& wanted) {
  Value out = graph::constant(0, pred, tokens.dims());
  for (const std::int32_t token : wanted)
    out = graph::logical_or(out, graph::equal(tokens, token));
  return out;
}

void read_prompts(const DecodeModel& model, Value prompts, std::vector<Value>& cache) {
  if (prompts.dim(1) == 1) return;
  model.step(take_slice(prompts, 1, 0, -1), graph::constant(0, s32), cache);
}

}  // namespace meshwright::models
