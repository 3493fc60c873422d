// SPDX-License-Identifier: Apache-2.0
#include <span>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/cumulative.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/ops/sort.h"
#include "meshwright/graph/ops/while.h"
#include "meshwright/graph/random/choice.h"
#include "meshwright/models/decoding.h"
#include "meshwright/models/prompts.h"

namespace meshwright::models {

using graph::random::Key;

namespace {

// The logit of a token that must not be chosen.
constexpr double kExcluded = -1e10;

Value without_all_but_largest(Value logits, std::int64_t k) {
  Value least = take_slice(top_k(logits, k).values, -1, k - 1);
  return where(logits >= least, logits, kExcluded);
}

// Keeps the token that crosses the bound.
Value without_tail(Value logits, double top_p) {
  Value sorted = graph::sort(logits, {.descending = true});
  Value probs = softmax(sorted, -1);
  Value is_kept = cumsum(probs, -1) - probs < top_p;
  Value least = reduce_min(where(is_kept, sorted, 1e30), {-1}, {.keep_dims = true});
  return where(logits >= least, logits, kExcluded);
}

void check_options(const SampleOptions& o, const Key& key) {
  MW_CHECK(o.temperature >= 0, "sample: temperature is ", o.temperature, ", expected at least 0");
  MW_CHECK(!o.top_k || *o.top_k > 0, "sample: top_k is ", o.top_k.value_or(0),
           ", expected at least 1");
  MW_CHECK(!o.top_p || (*o.top_p > 0 && *o.top_p <= 1), "sample: top_p is ", o.top_p.value_or(0),
           ", expected a value in (0, 1]");
  MW_CHECK(o.temperature == 0 || !key.is_null(),
           "sample: random sampling needs a key\nuse temperature 0 to always pick the most likely "
           "token");
}

// Returns the chosen token of each row. logits: batch vocab.
Value chosen(Value logits, const SampleOptions& o, const Key& key) {
  if (o.temperature == 0) return argmax(logits, -1);
  logits = logits / o.temperature;
  if (o.top_k && *o.top_k < logits.dim(-1)) logits = without_all_but_largest(logits, *o.top_k);
  if (o.top_p) logits = without_tail(logits, *o.top_p);
  return graph::random::categorical(key, logits);
}

class Sampler {
 public:
  Sampler(const DecodeModel& model, const SampleOptions& options, const Key& key, Value lengths)
      : model_(model), options_(options), key_(key), prompt_lengths_(lengths) {}

  Sampling step(Sampling s) const {
    Value last = dynamic_slice_in_dim(s.ids, 1, s.at - 1, 1);
    Value logits = squeeze(model_.step(last, s.at - 1, s.cache), {1});
    Key now = key_.is_null() ? key_ : fold_in(key_, s.at);
    Value choice = cast(chosen(logits, options_, now), s32);
    Value is_new = logical_and(s.at >= prompt_lengths_, logical_not(s.has_ended));
    Value given = squeeze(dynamic_slice_in_dim(s.ids, 1, s.at, 1), {1});  // prompt or padding
    Value token = where(is_new, choice, given);
    s.ids = dynamic_update_slice_in_dim(s.ids, expand_dims(token, {1}), 1, s.at);
    s.lengths = s.lengths + cast(is_new, s32);
    Value log_prob = take_along_dim(log_softmax(logits, -1), expand_dims(choice, {1}), 1);
    s.log_probs = s.log_probs + where(is_new, cast(squeeze(log_prob, {1}), f32), 0);
    if (!options_.end_tokens.empty()) {
      Value ends = logical_and(is_new, is_one_of(token, options_.end_tokens));
      s.has_ended = logical_or(s.has_ended, ends);
    }
    if (options_.max_tokens) {
      Value is_full = s.lengths - prompt_lengths_ >= *options_.max_tokens;
      s.has_ended = logical_or(s.has_ended, is_full);
    }
    s.at = s.at + 1;
    return s;
  }

  Value goes_on(const Sampling& s, const Value& until) const {
    Value all_ended = reduce_and(s.has_ended, {0});
    return logical_and(s.at < until, logical_not(all_ended));
  }

 private:
  const DecodeModel& model_;
  const SampleOptions& options_;
  const Key& key_;
  Value prompt_lengths_;
};

}  // namespace

std::vector<Value> Sampling::flat() const {
  std::vector<Value> out = {at, ids, lengths, log_probs, has_ended};
  out.insert(out.end(), cache.begin(), cache.end());
  return out;
}

Sampling Sampling::of(std::span<const Value> v) {
  return {v[0], v[1], v[2], v[3], v[4], {v.begin() + 5, v.end()}};
}

Sampling begin_sampling(const DecodeModel& model,
                        Value prompts,
                        Value prompt_lengths,
                        const SampleOptions& options) {
  check_prompts("sample", prompts, prompt_lengths, options);
  const std::int64_t batch = prompts.dim(0);
  Sampling out{.at = reduce_min(prompt_lengths, {0}),
               .ids = padded_prompts(prompts, prompt_lengths, options),
               .lengths = prompt_lengths,
               .log_probs = graph::constant(0, f32, {batch}),
               .has_ended = graph::constant(0, pred, {batch}),
               .cache = model.cache};
  read_prompts(model, prompts, out.cache);
  return out;
}

Sampling continue_sampling(const DecodeModel& model,
                           const Sampling& sampling,
                           Value prompt_lengths,
                           const SampleOptions& options,
                           const Key& key,
                           Value until) {
  check_options(options, key);
  const Sampler sampler(model, options, key, prompt_lengths);
  const Value end = minimum(until, options.max_len);
  auto condition = [&](std::span<const Value> v) { return sampler.goes_on(Sampling::of(v), end); };
  auto body = [&](std::span<const Value> v) { return sampler.step(Sampling::of(v)).flat(); };
  return Sampling::of(graph::while_loop(condition, body, sampling.flat()));
}

Decoded sample(const DecodeModel& model,
               Value prompts,
               Value prompt_lengths,
               const SampleOptions& options,
               const Key& key) {
  const Sampling end =
      continue_sampling(model, begin_sampling(model, prompts, prompt_lengths, options),
                        prompt_lengths, options, key, graph::constant(options.max_len, s32));
  return {end.ids, end.lengths, end.log_probs};
}

}  // namespace meshwright::models
