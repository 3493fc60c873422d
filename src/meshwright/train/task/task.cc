// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/task/task.h"

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/sharding/global.h"

namespace meshwright::train {

Weighted mean(Value x, std::optional<Value> weights) {
  Value counted = weights ? *weights : graph::constant(1.0, f32, x.dims());
  Value total = graph::global_sum(graph::vary(counted, x.type().varying));
  return {graph::cast(graph::global_mean(x, weights), f32), graph::cast(total, f32)};
}

EvalMethod loss_method(const Task& task) {
  auto run = [&task](const TaskInput& input) {
    TaskLoss loss = task.loss(input);
    EvalOutput out{std::move(loss.metrics), {}};
    out.metrics["loss"] = loss.loss;
    return out;
  };
  return {.run = run};
}

std::map<std::string, EvalMethod> Task::eval_methods() const {
  return {{"loss", loss_method(*this)}};
}

Continuations Task::generate(const GenerateInput& /*input*/,
                             const GenerateOptions& /*options*/) const {
  fail(ErrorCode::unimplemented, "task ", name(), " cannot generate");
}

Unfinished Task::begin_generation(const GenerateInput& /*input*/,
                                  const GenerateOptions& /*options*/) const {
  fail(ErrorCode::unimplemented, "task ", name(), " cannot generate in parts");
}

Unfinished Task::continue_generation(const GenerateInput& /*input*/,
                                     const Unfinished& /*unfinished*/,
                                     const Value& /*num_tokens*/,
                                     const GenerateOptions& /*options*/) const {
  fail(ErrorCode::unimplemented, "task ", name(), " cannot generate in parts");
}

}  // namespace meshwright::train
