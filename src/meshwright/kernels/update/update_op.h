// SPDX-License-Identifier: Apache-2.0
// The single call for all arrays of an update: the node's attributes and their encoding for the
// handler.
#pragma once

#include <array>
#include <cstddef>
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

/// A step without slots: its kind and the position of its operand.
struct PlainStep {
  UpdateStep::Kind kind;
  std::int64_t operand;
};

/// Plain steps in the integers of a code, which must outlive it.
class PlainSteps {
 public:
  PlainSteps() = default;
  explicit PlainSteps(std::span<const std::int64_t> codes) : codes_(codes) {}

  static void append(const PlainStep& step, std::vector<std::int64_t>& codes) {
    codes.insert(codes.end(), {static_cast<std::int64_t>(step.kind), step.operand});
  }
  PlainStep operator[](std::size_t i) const {
    return {static_cast<UpdateStep::Kind>(codes_[2 * i]), codes_[2 * i + 1]};
  }
  std::size_t size() const { return codes_.size() / 2; }
  std::span<const std::int64_t> codes() const { return codes_; }

 private:
  std::span<const std::int64_t> codes_;
};

/// One array as the handler sees it. `core` is the step that has slots; scale: there is none.
/// Positions in the node's operands, -1: none.
struct UpdateCode {
  UpdateStep::Kind core = UpdateStep::Kind::scale;
  bool nesterov = false;
  std::int64_t param = -1, gradient = -1, condition = -1, average = -1, average_decay = -1;
  std::array<std::int64_t, 2> slots = {-1, -1};
  std::int64_t first_result = 0;
  std::array<std::int64_t, 3> core_operands = {-1, -1, -1};
  PlainSteps before, behind;  // the core

  /// The order of the integers, for the writer and the reader of codes.
  static void fields(auto& f, auto& code) {
    f(code.core);
    f(code.nesterov);
    f(code.param);
    f(code.gradient);
    f(code.condition);
    f(code.average);
    f(code.average_decay);
    f(code.slots[0]);
    f(code.slots[1]);
    f(code.first_result);
    f(code.core_operands[0]);
    f(code.core_operands[1]);
    f(code.core_operands[2]);
    f(code.before);
    f(code.behind);
  }
};

/// The numbers of the core of one array.
struct CoreNumbers {
  double b1 = 0, b2 = 0, eps = 0, eps_root = 0;
};

/// The codes of all arrays, one after the other.
std::vector<std::int64_t> encoded(const UpdateAttrs& attrs);
/// Returns the code at this position and moves the position to the next one.
UpdateCode decoded(std::span<const std::int64_t> codes, std::int64_t& at);

/// The numbers of all arrays, one after the other.
std::vector<double> encoded_numbers(const UpdateAttrs& attrs);
std::int64_t num_arrays(std::span<const double> numbers);
CoreNumbers decoded_numbers(std::span<const double> numbers, std::int64_t array);

}  // namespace meshwright::kernels
