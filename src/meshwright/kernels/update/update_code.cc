// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cassert>

#include "meshwright/kernels/update/update_op.h"

namespace meshwright::kernels {
namespace {

using Code = std::vector<std::int64_t>;
using Steps = std::vector<StepOfCall>;

struct CodeWriter {
  Code& out;

  void operator()(auto number) { out.push_back(static_cast<std::int64_t>(number)); }
  void operator()(const PlainSteps& steps) {
    out.push_back(std::ssize(steps.codes()));
    out.insert(out.end(), steps.codes().begin(), steps.codes().end());
  }
};

struct CodeReader {
  std::span<const std::int64_t> codes;
  std::int64_t& at;

  template <typename T>
  void operator()(T& number) {
    number = static_cast<T>(codes[static_cast<std::size_t>(at++)]);
  }
  void operator()(PlainSteps& steps) {
    const auto size = static_cast<std::size_t>(codes[static_cast<std::size_t>(at++)]);
    steps = PlainSteps(codes.subspan(static_cast<std::size_t>(at), size));
    at += static_cast<std::int64_t>(size);
  }
};

Steps::const_iterator core_of(const ArrayOfCall& array) {
  return std::ranges::find_if(
      array.steps, [](const StepOfCall& step) { return num_slots(step.numbers.kind) > 0; });
}

Code plain_steps(Steps::const_iterator first, Steps::const_iterator last) {
  Code out;
  for (; first != last; ++first)
    PlainSteps::append({first->numbers.kind, first->operands.front()}, out);
  return out;
}

void append(const ArrayOfCall& array, std::int64_t first_result, Code& out) {
  UpdateCode code{.param = array.param,
                  .gradient = array.gradient,
                  .condition = array.condition,
                  .average = array.average,
                  .average_decay = array.average_decay,
                  .first_result = first_result};
  assert(array.slots.size() <= code.slots.size());
  std::ranges::copy(array.slots, code.slots.begin());
  const auto core = core_of(array);
  const bool has_core = core != array.steps.end();
  if (has_core) {
    code.core = core->numbers.kind;
    code.nesterov = core->numbers.nesterov;
    assert(core->operands.size() <= code.core_operands.size());
    std::ranges::copy(core->operands, code.core_operands.begin());
  }
  const Code before = plain_steps(array.steps.begin(), core);
  const Code behind = has_core ? plain_steps(core + 1, array.steps.end()) : Code();
  code.before = PlainSteps(before);
  code.behind = PlainSteps(behind);
  CodeWriter write{out};
  UpdateCode::fields(write, code);
}

using Numbers = std::array<double, sizeof(CoreNumbers) / sizeof(double)>;

}  // namespace

std::vector<std::int64_t> encoded(const UpdateAttrs& attrs) {
  Code out;
  std::int64_t first_result = 0;
  for (const ArrayOfCall& array : attrs.arrays) {
    append(array, first_result, out);
    first_result += 1 + std::ssize(array.slots) + (array.average >= 0 ? 1 : 0);
  }
  return out;
}

UpdateCode decoded(std::span<const std::int64_t> codes, std::int64_t& at) {
  UpdateCode out;
  CodeReader read{codes, at};
  UpdateCode::fields(read, out);
  return out;
}

std::vector<double> encoded_numbers(const UpdateAttrs& attrs) {
  std::vector<double> out;
  for (const ArrayOfCall& array : attrs.arrays) {
    const auto core = core_of(array);
    const UpdateStep step = core == array.steps.end() ? UpdateStep() : core->numbers;
    const auto numbers =
        std::bit_cast<Numbers>(CoreNumbers{step.b1, step.b2, step.eps, step.eps_root});
    out.insert(out.end(), numbers.begin(), numbers.end());
  }
  return out;
}

std::int64_t num_arrays(std::span<const double> numbers) {
  return std::ssize(numbers) / std::ssize(Numbers());
}

CoreNumbers decoded_numbers(std::span<const double> numbers, std::int64_t array) {
  Numbers out;
  const auto first = static_cast<std::size_t>(array) * out.size();
  std::ranges::copy(numbers.subspan(first, out.size()), out.begin());
  return std::bit_cast<CoreNumbers>(out);
}

}  // namespace meshwright::kernels
