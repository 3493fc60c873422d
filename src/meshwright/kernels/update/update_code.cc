// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "meshwright/kernels/update/update_op.h"

namespace meshwright::kernels {

using Kind = UpdateStep::Kind;

namespace {

bool is_core(const StepOfCall& step) {
  return num_slots(step.numbers.kind) > 0;
}

std::vector<StepOfCall>::const_iterator core_of(const ArrayOfCall& array) {
  return std::ranges::find_if(array.steps, is_core);
}

using Code = std::vector<std::int64_t>;

Code code_of(std::vector<StepOfCall>::const_iterator first,
             std::vector<StepOfCall>::const_iterator last) {
  Code out;
  for (; first != last; ++first) {
    out.push_back(static_cast<std::int64_t>(first->numbers.kind));
    out.push_back(first->operands.front());
  }
  return out;
}

}  // namespace

std::vector<std::int64_t> encoded(const UpdateAttrs& attrs) {
  Code out;
  std::int64_t first_result = 0;
  for (const ArrayOfCall& array : attrs.arrays) {
    const auto core = core_of(array);
    const bool has_core = core != array.steps.end();
    auto add = [&](std::int64_t x) { out.push_back(x); };
    add(static_cast<std::int64_t>(has_core ? core->numbers.kind : Kind::scale));
    add(has_core && core->numbers.nesterov);
    for (int x : {array.param, array.gradient, array.condition, array.average, array.average_decay})
      add(x);
    for (std::size_t i = 0; i < 2; ++i)
      add(i < array.slots.size() ? array.slots[i] : -1);
    add(first_result);
    for (std::size_t i = 0; i < 3; ++i)
      add(has_core && i < core->operands.size() ? core->operands[i] : -1);
    for (const Code& part : {code_of(array.steps.begin(), core),
                             has_core ? code_of(core + 1, array.steps.end()) : Code()}) {
      add(std::ssize(part));
      out.insert(out.end(), part.begin(), part.end());
    }
    first_result += 1 + std::ssize(array.slots) + (array.average >= 0 ? 1 : 0);
  }
  return out;
}

UpdateCode decoded(std::span<const std::int64_t> codes, std::int64_t& at) {
  auto next = [&] { return codes[static_cast<std::size_t>(at++)]; };
  auto part = [&] {
    const std::int64_t size = next();
    at += size;
    return codes.subspan(static_cast<std::size_t>(at - size), static_cast<std::size_t>(size));
  };
  UpdateCode out{};
  out.core = static_cast<Kind>(next());
  out.nesterov = next() != 0;
  for (std::int64_t* x : {&out.param, &out.gradient, &out.condition, &out.average,
                          &out.average_decay, &out.slots[0], &out.slots[1], &out.first_result,
                          &out.core_operands[0], &out.core_operands[1], &out.core_operands[2]})
    *x = next();
  out.before = part();
  out.behind = part();
  return out;
}

std::vector<double> numbers_of(const UpdateAttrs& attrs) {
  std::vector<double> out;
  for (const ArrayOfCall& array : attrs.arrays) {
    const auto core = core_of(array);
    const UpdateStep numbers = core == array.steps.end() ? UpdateStep() : core->numbers;
    out.insert(out.end(), {numbers.b1, numbers.b2, numbers.eps, numbers.eps_root});
  }
  return out;
}

}  // namespace meshwright::kernels
