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

/// A step whose operands are given as positions in the node's operands, or -1 if absent.
struct StepOfCall {
  UpdateStep numbers;  // without operands
  std::vector<int> operands;
};

/// An ArrayUpdate whose values are given as positions in the node's operands, or -1 if absent.
struct ArrayOfCall {
  int param = -1, gradient = -1, condition = -1, average = -1, average_decay = -1;
  std::vector<int> slots;
  std::vector<StepOfCall> steps;
  /// True if results reuse the memory of the operands that they replace.
  bool is_in_place = false;
};

/// Attributes of kUpdate. Results of each array, in order: the parameter, the slots and, if
/// present, the average.
struct UpdateAttrs {
  std::vector<ArrayOfCall> arrays;
};

/// A step without slots: its kind and the position of its operand.
struct PlainStep {
  UpdateStep::Kind kind;
  std::int64_t operand;
};

/// A view of plain steps encoded as integers, which must outlive the view.
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

/// One array in the handler's encoding. `core` is the step with slots, or scale if there is none.
/// `first_result` is a position in the node's results. The others are positions in its operands, or
/// -1 if absent.
struct UpdateCode {
  UpdateStep::Kind core = UpdateStep::Kind::scale;
  bool nesterov = false;
  std::int64_t param = -1, gradient = -1, condition = -1, average = -1, average_decay = -1;
  std::array<std::int64_t, 2> slots = {-1, -1};
  std::int64_t first_result = 0;
  std::array<std::int64_t, 3> core_operands = {-1, -1, -1};
  PlainSteps before, behind;  // steps before and after the core

  /// Visits the integers in the order in which they are written and read.
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

/// Hyperparameters of the core step of one array.
struct CoreNumbers {
  double b1 = 0, b2 = 0, eps = 0, eps_root = 0;
};

/// Returns the codes of all arrays, concatenated.
std::vector<std::int64_t> encoded(const UpdateAttrs& attrs);
/// Returns the code at position `at` and advances `at` to the next code.
UpdateCode decoded(std::span<const std::int64_t> codes, std::int64_t& at);

/// Returns the CoreNumbers of all arrays, concatenated.
std::vector<double> encoded_numbers(const UpdateAttrs& attrs);
std::int64_t num_arrays(std::span<const double> numbers);
CoreNumbers decoded_numbers(std::span<const double> numbers, std::int64_t array);

}  // namespace meshwright::kernels
