// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tasks/stack_config.h"

#include "meshwright/kernels/attention/attention.h"

namespace meshwright::tasks {

namespace {

graph::SavePolicy policy_of(RematChoice choice) {
  switch (choice) {
    case RematChoice::dots:
      return graph::keep_dots_without_batch();
    case RematChoice::qkv:
      return graph::keep_saved({"q", "k", "v"});
    case RematChoice::attention:
      return graph::keep_results_of(kernels::is_attention);
    case RematChoice::saved:
      return graph::keep_saved();
    case RematChoice::nothing:
      break;
  }
  return graph::keep_nothing();
}

graph::SavePolicy sum_of(const std::vector<RematChoice>& choices) {
  graph::SavePolicy out = graph::keep_nothing();
  for (const RematChoice choice : choices)
    out = out | policy_of(choice);
  return out;
}

}  // namespace

nn::StackForm StackConfig::form() const {
  return stack == StackChoice::unrolled ? nn::StackForm::unrolled : nn::StackForm::scanned;
}

void StackConfig::choose_stack(std::string_view platform, std::int64_t num_devices) {
  if (stack != StackChoice::automatic) return;
  const bool unrolls = platform == "cpu" || (platform == "cuda" && num_devices == 1);
  stack = unrolls ? StackChoice::unrolled : StackChoice::scanned;
}

std::optional<graph::SavePolicy> StackConfig::save_policy() const {
  if (!remat && !offload) return std::nullopt;
  graph::SavePolicy out = remat ? sum_of(*remat) : graph::keep_everything();
  return offload ? out | graph::on_host(sum_of(*offload)) : out;
}

}  // namespace meshwright::tasks
