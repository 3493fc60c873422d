// SPDX-License-Identifier: Apache-2.0
// Keeps two sets of sequences: live and ended. Each step considers the most likely continuations of
// the live sequences: 2 * beams or, with several end tokens, as many as leave enough that go on.
#include <algorithm>
#include <cmath>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/ops/sort.h"
#include "meshwright/graph/ops/while.h"
#include "meshwright/models/decoding.h"
#include "meshwright/models/prompts.h"

namespace meshwright::models {
namespace {

constexpr double kImpossible = -1e7;

struct BeamState {
  Value at;
  Value live_ids, live_log_probs;           // batch beams len; batch beams
  Value ended_ids, ended_scores, ended_at;  // ended_at: batch beams, lengths
  std::vector<Value> cache;                 // for the live sequences

  std::vector<Value> flat() const {
    std::vector<Value> out = {at, live_ids, live_log_probs, ended_ids, ended_scores, ended_at};
    out.insert(out.end(), cache.begin(), cache.end());
    return out;
  }
  static BeamState of(std::span<const Value> v) {
    return {v[0], v[1], v[2], v[3], v[4], v[5], {v.begin() + 6, v.end()}};
  }
};

// Selects beams. x: batch n ..., indices: batch k; returns batch k ... .
Value chosen_beams(Value x, Value indices) {
  Dims dims(static_cast<std::size_t>(x.rank()), 1);
  dims[0] = indices.dim(0);
  dims[1] = indices.dim(1);
  return take_along_dim(x, reshape(indices, dims), 1);
}

class BeamSearch {
 public:
  BeamSearch(const DecodeModel& model, const BeamOptions& options, Value prompts, Value lengths)
      : model_(model),
        options_(options),
        batch_(prompts.dim(0)),
        beams_(options.num_beams),
        lengths_(lengths) {
    prompts_ = padded_prompts(prompts, lengths, options);
  }

  BeamState start(Value prompts) const {
    Dims dims = {batch_, beams_};
    Value ids = graph::broadcast_to(expand_dims(prompts_, {1}), {batch_, beams_, options_.max_len});
    // All beams of a prompt start equal, so only the first is possible.
    Value first =
        where(equal(graph::iota(s32, dims, 1), 0), graph::constant(0.0, f32, dims), kImpossible);
    BeamState s{.at = reduce_min(lengths_, {0}),
                .live_ids = ids,
                .live_log_probs = first,
                .ended_ids = ids,
                .ended_scores = graph::constant(kImpossible, f32, dims),
                .ended_at = graph::constant(options_.max_len, s32, dims),
                .cache = model_.cache};
    Dims repeated = {batch_, beams_, prompts.dim(1)};
    Value rows = flatten(graph::broadcast_to(expand_dims(prompts, {1}), repeated), 0, 1);
    read_prompts(model_, rows, s.cache);
    return s;
  }

  Value goes_on(const BeamState& s) const {
    // A prompt is done if none of its live sequences can beat its worst ended one.
    Value best = take_index(s.live_log_probs, 1, 0) / penalty(room());
    Value worst = reduce_min(s.ended_scores, {1});
    Value all_found = reduce_and(worst > best, {0});
    return logical_and(s.at < options_.max_len, logical_not(all_found));
  }

  BeamState step(BeamState s) const {
    Value log_probs = continuations(s);  // batch beams vocab
    std::int64_t vocab = log_probs.dim(2);
    Value totals = flatten(log_probs + expand_dims(s.live_log_probs, {2}), 1, 2);
    graph::TopK best = top_k(totals, num_considered(vocab));
    Value beam = best.indices / vocab, token = remainder(best.indices, vocab);
    Value ids = dynamic_update_slice_in_dim(chosen_beams(s.live_ids, beam), expand_dims(token, {2}),
                                            2, s.at);
    Value ends = graph::constant(0, pred, token.dims());
    if (!options_.end_tokens.empty()) {
      Value is_new = expand_dims(s.at >= lengths_, {1});
      ends = logical_and(is_one_of(token, options_.end_tokens),
                         graph::broadcast_to(is_new, token.dims()));
    }
    if (options_.max_tokens) {
      Value is_full = expand_dims(s.at + 1 - lengths_ >= *options_.max_tokens, {1});
      ends = logical_or(ends, graph::broadcast_to(is_full, token.dims()));
    }
    add_ended(s, ids, best.values, ends);
    graph::TopK live = top_k(where(ends, kImpossible, best.values), beams_);
    s.live_ids = chosen_beams(ids, live.indices);
    s.live_log_probs = live.values;
    for (Value& array : s.cache)
      array = reordered(array, chosen_beams(beam, live.indices));
    s.at = s.at + 1;
    return s;
  }

  // Ended sequences, followed by the live ones.
  Beams result(const BeamState& s) const {
    Dims dims = {batch_, beams_};
    Value live_scores = s.live_log_probs / penalty(expand_dims(room(), {1}));
    Value scores = graph::concatenate({s.ended_scores, live_scores}, 1);
    Value ids = graph::concatenate({s.ended_ids, s.live_ids}, 1);
    Value lengths =
        graph::concatenate({s.ended_at, graph::constant(options_.max_len, s32, dims)}, 1);
    graph::TopK best = top_k(scores, beams_);
    return {chosen_beams(ids, best.indices), chosen_beams(lengths, best.indices), best.values};
  }

 private:
  std::int64_t num_considered(std::int64_t vocab) const {
    const auto num_ends = std::max<std::int64_t>(1, std::ssize(options_.end_tokens));
    return beams_ * std::min(1 + num_ends, vocab);
  }

  // Maximum length of the continuation of each prompt.
  Value room() const {
    Value left = graph::constant(options_.max_len, s32) - lengths_;
    return options_.max_tokens ? minimum(left, *options_.max_tokens) : left;
  }

  Value penalty(Value length) const {
    return pow((cast(length, f32) + 5.0) / 6.0, options_.length_alpha);
  }

  // Returns the log probability of every next token of the live sequences. Within a prompt, only
  // the given token is possible.
  Value continuations(BeamState& s) const {
    Value last = flatten(dynamic_slice_in_dim(s.live_ids, 2, s.at - 1, 1), 0, 1);
    Value logits = squeeze(model_.step(last, s.at - 1, s.cache), {1});
    Value log_probs = reshape(cast(log_softmax(logits, -1), f32), {batch_, beams_, logits.dim(-1)});
    Value given = squeeze(dynamic_slice_in_dim(prompts_, 1, s.at, 1), {1});
    Value of_given = one_hot(given, logits.dim(-1), f32);
    Value forced = expand_dims((1.0 - of_given) * kImpossible, {1});
    Value in_prompt = graph::broadcast_to(expand_dims(s.at < lengths_, {1, 2}), log_probs.dims());
    return where(in_prompt, graph::broadcast_to(forced, log_probs.dims()), log_probs);
  }

  void add_ended(BeamState& s, Value ids, Value log_probs, Value ends) const {
    Value num_new = expand_dims(s.at + 1 - lengths_, {1});
    Value scores = where(ends, log_probs / penalty(maximum(num_new, 1)), kImpossible);
    Value lengths = graph::broadcast_to(s.at + 1, ends.dims());
    Value all_ids = graph::concatenate({s.ended_ids, ids}, 1);
    Value all_scores = graph::concatenate({s.ended_scores, scores}, 1);
    Value all_lengths = graph::concatenate({s.ended_at, lengths}, 1);
    graph::TopK best = top_k(all_scores, beams_);
    s.ended_ids = chosen_beams(all_ids, best.indices);
    s.ended_scores = best.values;
    s.ended_at = chosen_beams(all_lengths, best.indices);
  }

  // Selects the rows of these beams from a cache array, layers rows ... .
  Value reordered(Value array, Value beam) const {
    Value offset = graph::iota(s32, {batch_, beams_}, 0) * beams_;
    return take(array, flatten(beam + offset), 1);
  }

  const DecodeModel& model_;
  const BeamOptions& options_;
  std::int64_t batch_, beams_;
  Value prompts_, lengths_;
};

}  // namespace

Beams beam_search(const DecodeModel& model,
                  Value prompts,
                  Value prompt_lengths,
                  const BeamOptions& options) {
  MW_CHECK(options.num_beams >= 1, "beam_search: num_beams is ", options.num_beams,
           ", expected at least 1");
  check_prompts("beam_search", prompts, prompt_lengths, options);
  BeamSearch search(model, options, prompts, prompt_lengths);
  auto condition = [&](std::span<const Value> v) { return search.goes_on(BeamState::of(v)); };
  auto body = [&](std::span<const Value> v) { return search.step(BeamState::of(v)).flat(); };
  return search.result(
      BeamState::of(graph::while_loop(condition, body, search.start(prompts).flat())));
}

}  // namespace meshwright::models
