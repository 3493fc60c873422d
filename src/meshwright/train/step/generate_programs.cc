// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/step/generate_programs.h"

#include <utility>
#include <vector>

#include "meshwright/train/step/program_arguments.h"

namespace meshwright::train {
namespace {

using graph::ResultInfo;
using graph::Tracer;
using graph::random::Key;

Value whole(Tracer& tracer, const char* name, const ArrayType& type) {
  return tracer.argument(type, {name, mesh::Sharding::replicated(), {}});
}

std::vector<ResultInfo> replicated(std::vector<std::string> names) {
  std::vector<ResultInfo> out;
  for (std::string& name : names)
    out.push_back({std::move(name), mesh::Sharding::replicated()});
  return out;
}

std::vector<ResultInfo> infos_of(const Unfinished& unfinished) {
  std::vector<std::string> names = {"ids", "lengths", "scores", "has_ended"};
  for (std::size_t i = 0; i < unfinished.rest.size(); ++i)
    names.push_back(str("rest_", i));
  return replicated(std::move(names));
}

}  // namespace

graph::Program trace_generate(const TrainingSetup& setup,
                              std::int64_t num_rows,
                              std::int64_t len,
                              const GenerateOptions& options) {
  Tracer tracer(trace_options(setup));
  ValueTree params = model_arguments(tracer, setup);
  Value prompts = whole(tracer, "prompts", {s32, {num_rows, len}});
  Value lengths = whole(tracer, "lengths", {s32, {num_rows}});
  const Key key = graph::random::wrap_key_data(key_argument(tracer));
  Continuations out = setup.task.generate({params, prompts, lengths, key}, options);
  return tracer.finish({out.ids, out.starts, out.lengths, out.scores},
                       replicated({"ids", "starts", "lengths", "scores"}));
}

graph::Program trace_begin_generation(const TrainingSetup& setup,
                                      std::int64_t num_rows,
                                      std::int64_t len,
                                      const GenerateOptions& options) {
  Tracer tracer(trace_options(setup));
  ValueTree params = model_arguments(tracer, setup);
  Value prompts = whole(tracer, "prompts", {s32, {num_rows, len}});
  Value lengths = whole(tracer, "lengths", {s32, {num_rows}});
  const Unfinished out = setup.task.begin_generation({params, prompts, lengths, {}}, options);
  return tracer.finish(out.flat(), infos_of(out));
}

graph::Program trace_continue_generation(const TrainingSetup& setup,
                                         const graph::Program& begin,
                                         const GenerateOptions& options) {
  Tracer tracer(trace_options(setup));
  ValueTree params = model_arguments(tracer, setup);
  std::vector<Value> state;
  for (const Value& result : begin.main->results) {
    const int index = static_cast<int>(state.size());
    state.push_back(tracer.argument(result.type().array(), {begin.results[state.size()].name,
                                                            mesh::Sharding::replicated(), index}));
  }
  const Unfinished before = Unfinished::of(state);
  Value lengths = whole(tracer, "lengths", before.lengths.type().array());
  const Key key = graph::random::wrap_key_data(key_argument(tracer));
  Value num_tokens = whole(tracer, "num_tokens", {s32, {}});
  const Unfinished out =
      setup.task.continue_generation({params, Value(), lengths, key}, before, num_tokens, options);
  return tracer.finish(out.flat(), infos_of(out));
}

}  // namespace meshwright::train
