// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/task.h"

namespace meshwright::train {

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
  fail(ErrorCode::unimplemented, "task ", name(), " generates nothing");
}

}  // namespace meshwright::train
