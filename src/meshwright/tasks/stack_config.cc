// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tasks/stack_config.h"

namespace meshwright::tasks {

nn::StackForm StackConfig::form() const {
  return stack == StackChoice::unrolled ? nn::StackForm::unrolled : nn::StackForm::scanned;
}

void StackConfig::choose_stack(std::string_view platform) {
  if (stack != StackChoice::automatic) return;
  stack = platform == "cpu" ? StackChoice::unrolled : StackChoice::scanned;
}

std::optional<graph::SavePolicy> StackConfig::save_policy() const {
  if (!remat) return std::nullopt;
  switch (*remat) {
    case RematChoice::nothing:
      return graph::keep_nothing();
    case RematChoice::dots:
      return graph::keep_dots_without_batch();
    case RematChoice::saved:
      return graph::keep_saved();
  }
  return std::nullopt;
}

}  // namespace meshwright::tasks
