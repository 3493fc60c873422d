// SPDX-License-Identifier: Apache-2.0
// The one call for all arrays of an update: what its node holds, and how its handler is told.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "meshwright/kernels/update/update.h"

namespace meshwright::kernels {

/// A step whose operands are positions in the node's operands; -1: none.
struct StepOfCall {
  UpdateStep numbers;  // without operands
  std::vector<int> operands;
};

/// An ArrayUpdate; positions in the node's operands, -1: none.
struct ArrayOfCall {
  int param = -1, gradient = -1, condition = -1, average = -1, average_decay = -1;
  std::vector<int> slots;
  std::vector<StepOfCall> steps;
  /// Results take over the memory of what they replace.
  bool is_in_place = false;
};

/// Attributes of kUpdate. Results, array after array: the parameter, slots, and the average if
/// there is one.
struct UpdateAttrs {
  std::vector<ArrayOfCall> arrays;
};

/// One array as the handler sees it. `core` is the step that has slots; scale: there is none.
struct UpdateCode {
  UpdateStep::Kind core;
  bool nesterov;
  std::int64_t param, gradient, condition, average, average_decay, slots[2], first_result;
  std::int64_t core_operands[3];
  /// Steps before and behind the core: a kind and the position of an operand for each.
  std::span<const std::int64_t> before, behind;
};

std::vector<std::int64_t> encoded(const UpdateAttrs& attrs);
/// The code at this position, which goes on to the next.
UpdateCode decoded(std::span<const std::int64_t> codes, std::int64_t& at);
/// b1, b2, eps and eps_root of each array.
inline constexpr std::int64_t kNumbersOfArray = 4;
std::vector<double> numbers_of(const UpdateAttrs& attrs);

}  // namespace meshwright::kernels
