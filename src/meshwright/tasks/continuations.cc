// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tasks/continuations.h"

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/shape.h"

namespace meshwright::tasks {

using graph::Value;

train::Continuations continue_prompts(const MakeDecodeModel& model,
                                      const Prompts& prompts,
                                      const graph::random::Key& key,
                                      const train::GenerateOptions& options) {
  const std::int64_t max_len = prompts.ids.dim(1) + options.max_tokens;
  const models::DecodeOptions common{
      .max_len = max_len, .max_tokens = options.max_tokens, .end_token = options.end_token};
  if (options.num_beams) {
    models::BeamOptions beam{common, *options.num_beams};
    models::Beams found =
        models::beam_search(model(*options.num_beams, max_len), prompts.ids, prompts.lengths, beam);
    return {found.ids, prompts.lengths, found.lengths, found.scores};
  }
  models::SampleOptions sampling{common, options.temperature, options.top_k, options.top_p};
  models::Decoded found =
      models::sample(model(1, max_len), prompts.ids, prompts.lengths, sampling, key);
  return {graph::expand_dims(found.ids, {1}), prompts.lengths,
          graph::expand_dims(found.lengths, {1}), graph::expand_dims(found.log_probs, {1})};
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
