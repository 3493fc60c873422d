// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/core/program.h"

#include <algorithm>

#include "meshwright/base/str.h"

namespace meshwright::graph {

void add_choice(std::vector<KernelChoice>& choices,
                std::string_view op,
                bool is_kernel,
                const std::string& reason) {
  auto found = std::ranges::find_if(choices, [&](const KernelChoice& choice) {
    return choice.op == op && choice.is_kernel == is_kernel && choice.reason == reason;
  });
  if (found == choices.end())
    found = choices.insert(found, {.op = op, .is_kernel = is_kernel, .reason = reason});
  ++found->count;
}

std::vector<std::string> describe(const std::vector<KernelChoice>& choices) {
  std::vector<KernelChoice> sorted = choices;
  std::ranges::stable_sort(sorted, {}, &KernelChoice::op);
  std::vector<std::string> lines;
  for (const KernelChoice& choice : sorted)
    lines.push_back(str(choice.op, ": ", choice.is_kernel ? "kernel, " : "formula, ", choice.count,
                        choice.count == 1 ? " call: " : " calls: ", choice.reason));
  return lines;
}

}  // namespace meshwright::graph
