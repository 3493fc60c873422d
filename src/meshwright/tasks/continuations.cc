// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tasks/continuations.h"

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"

namespace meshwright::tasks {

using graph::Value;

namespace {

models::DecodeOptions decode_options(const train::GenerateOptions& options, std::int64_t max_len) {
  return {.max_len = max_len, .max_tokens = options.max_tokens, .end_tokens = options.end_tokens};
}

models::SampleOptions sample_options(const train::GenerateOptions& options, std::int64_t max_len) {
  return {decode_options(options, max_len), options.temperature, options.top_k, options.top_p};
}

train::Unfinished unfinished_of(const models::Sampling& s) {
  train::Unfinished out{s.ids, s.lengths, s.log_probs, s.has_ended, {s.at}};
  out.rest.insert(out.rest.end(), s.cache.begin(), s.cache.end());
  return out;
}

models::Sampling sampling_of(const train::Unfinished& u) {
  return {u.rest[0], u.ids, u.lengths, u.scores, u.has_ended, {u.rest.begin() + 1, u.rest.end()}};
}

}  // namespace

train::Continuations continue_prompts(const MakeDecodeModel& model,
                                      const Prompts& prompts,
                                      const graph::random::Key& key,
                                      const train::GenerateOptions& options) {
  const std::int64_t max_len = prompts.ids.dim(1) + options.max_tokens;
  if (options.num_beams) {
    models::BeamOptions beam{decode_options(options, max_len), *options.num_beams};
    models::Beams found =
        models::beam_search(model(*options.num_beams, max_len), prompts.ids, prompts.lengths, beam);
    return {found.ids, prompts.lengths, found.lengths, found.scores};
  }
  models::Decoded found = models::sample(model(1, max_len), prompts.ids, prompts.lengths,
                                         sample_options(options, max_len), key);
  return {graph::expand_dims(found.ids, {1}), prompts.lengths,
          graph::expand_dims(found.lengths, {1}), graph::expand_dims(found.log_probs, {1})};
}

train::Unfinished begin_sampling(const models::DecodeModel& model,
                                 const Prompts& prompts,
                                 const train::GenerateOptions& options) {
  const std::int64_t max_len = prompts.ids.dim(1) + options.max_tokens;
  return unfinished_of(models::begin_sampling(model, prompts.ids, prompts.lengths,
                                              sample_options(options, max_len)));
}

train::Unfinished continue_sampling(const models::DecodeModel& model,
                                    const train::Unfinished& unfinished,
                                    const train::GenerateInput& input,
                                    const Value& num_tokens,
                                    const train::GenerateOptions& options) {
  const models::Sampling sampling = sampling_of(unfinished);
  const models::SampleOptions how = sample_options(options, unfinished.ids.dim(1));
  return unfinished_of(models::continue_sampling(model, sampling, input.lengths, how, input.key,
                                                 sampling.at + num_tokens));
}

Value repeat_rows(Value x, std::int64_t count) {
  Dims dims = x.dims();
  Dims copies = dims;
  copies.insert(copies.begin() + 1, count);
  Value repeated = graph::broadcast_to(graph::expand_dims(x, {1}), copies);
  dims[0] *= count;
  return graph::reshape(repeated, dims);
}

}  // namespace meshwright::tasks
