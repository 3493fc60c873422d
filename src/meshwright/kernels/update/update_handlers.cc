// SPDX-License-Identifier: Apache-2.0
// A task covers a range of rows of one array, or a part of one row.
#include "meshwright/kernels/update/update_handlers.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "meshwright/kernels/common/ranges.h"
#include "meshwright/kernels/common/scratch.h"
#include "meshwright/kernels/rows/broadcast_rows.h"
#include "meshwright/kernels/rows/row_factors.h"
#include "meshwright/kernels/simd/lanes.h"
#include "meshwright/kernels/simd/update.h"
#include "meshwright/kernels/update/update_op.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::kernels {
namespace {

using pjrt::KernelCall;
using pjrt::KernelInput;
using Kind = UpdateStep::Kind;

constexpr std::int64_t kElementsOfTask = 1 << 15;

float scalar(const KernelCall& call, std::int64_t operand) {
  return call.input(static_cast<int>(operand)).values<float>()[0];
}

UpdateCore core_of(const UpdateCode& code) {
  switch (code.core) {
    case Kind::adam:
      return code.nesterov ? UpdateCore::nesterov_adam : UpdateCore::adam;
    case Kind::lion:
      return UpdateCore::lion;
    case Kind::momentum:
      return code.nesterov ? UpdateCore::nesterov_momentum : UpdateCore::momentum;
    case Kind::average:
      return UpdateCore::average;
    default:
      return UpdateCore::none;
  }
}

/// One array of the call.
class Array {
 public:
  Array(const KernelCall& call, const UpdateCode& code, const CoreNumbers& numbers)
      : call_(call), code_(code), rows_(find_factors()) {
    set_numbers(numbers);
  }

  std::int64_t num_tasks() const { return num_chunks(rows_.num_rows(), rows_of_task()) * pieces(); }

  void run_task(std::int64_t task) const {
    const Range rows = chunk_of({0, rows_.num_rows()}, rows_of_task(), task / pieces());
    const Range columns = chunk_of({0, rows_.row_size()}, kElementsOfTask, task % pieces());
    if (!applies()) return copy_rows(rows, columns);
    // Space for the product of several factors along a row.
    const std::int64_t room = num_factors_ > 1 ? padded(columns.size()) : 0;
    Scratch scratch(room);
    float* products = scratch.take(room);
    for (std::int64_t row = rows.begin; row < rows.end; ++row)
      run_row(row, columns, products);
  }

 private:
  std::int64_t pieces() const { return num_chunks(rows_.row_size(), kElementsOfTask); }
  std::int64_t rows_of_task() const {
    return std::max(std::int64_t{1}, kElementsOfTask / rows_.row_size());
  }

  bool applies() const {
    return code_.condition < 0 || call_.input(static_cast<int>(code_.condition)).values<bool>()[0];
  }

  BroadcastRows find_factors() {
    std::array<std::span<const std::int64_t>, kMostBroadcast> dims;
    for (std::size_t i = 0; i < code_.before.size(); ++i) {
      const KernelInput input = call_.input(static_cast<int>(code_.before[i].operand));
      if (input.dims.empty()) continue;
      dims[num_factors_] = input.dims;
      factors_[num_factors_++] = input.values<float>().data();
    }
    return {call_.input(static_cast<int>(code_.param)).dims, std::span(dims).first(num_factors_)};
  }

  void set_numbers(const CoreNumbers& given) {
    numbers_.core = core_of(code_);
    numbers_.b1 = decay_of(given.b1, code_.slots[0]);
    numbers_.b2 = decay_of(given.b2, code_.slots[code_.core == Kind::adam ? 1 : 0]);
    numbers_.ahead = decay_of(given.b1);
    numbers_.eps = static_cast<float>(given.eps);
    numbers_.eps_root = static_cast<float>(given.eps_root);
    const bool is_average = code_.core == Kind::average;
    if (is_average && code_.core_operands[0] >= 0)
      numbers_.b1 = decay_of(scalar(call_, code_.core_operands[0]));
    set_reciprocal(code_.core_operands[is_average ? 1 : 0], numbers_.first_factor);
    if (!is_average) set_reciprocal(code_.core_operands[1], numbers_.next_factor);
    set_reciprocal(code_.core_operands[2], numbers_.square_factor);
    if (code_.average >= 0) numbers_.average = decay_of(scalar(call_, code_.average_decay));
    follow(code_.before, numbers_.gradient_factor, numbers_.param_factor);
    follow(code_.behind, numbers_.behind_factor, numbers_.behind_param_factor);
  }

  // Computes 1 - decay in the precision of T.
  template <typename T>
  static UpdateNumbers::Decay decay_of(T decay) {
    return {.old = static_cast<float>(decay), .now = static_cast<float>(1 - decay)};
  }

  UpdateNumbers::Decay decay_of(double decay, std::int64_t slot) const {
    UpdateNumbers::Decay out = decay_of(decay);
    if (slot >= 0)
      out.old = static_cast<float>(decay_of_slot(decay, call_.input(static_cast<int>(slot)).dtype));
    return out;
  }

  void set_reciprocal(std::int64_t operand, float& factor) const {
    if (operand >= 0) factor = 1 / scalar(call_, operand);
  }

  // Folds the scalar steps into the coefficients of u * factor + p * of_param.
  void follow(const PlainSteps& steps, float& factor, float& of_param) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const PlainStep step = steps[i];
      if (!call_.input(static_cast<int>(step.operand)).dims.empty()) continue;
      const float number = scalar(call_, step.operand);
      if (step.kind == Kind::add_param) {
        of_param += number;
        continue;
      }
      factor *= number;
      of_param *= number;
      if (step.kind == Kind::scale_or_drop && number == 0) drops_ = true;
    }
  }

  Changed changed(std::int64_t operand, std::int64_t result, std::int64_t element) const {
    if (operand < 0) return {};
    const KernelInput from = call_.input(static_cast<int>(operand));
    const auto bytes = static_cast<std::size_t>(element) * byte_size(from.dtype);
    return {from.data + bytes, call_.output(static_cast<int>(result)).data + bytes, from.dtype};
  }

  UpdateRun run_at(std::int64_t element) const {
    UpdateRun run;
    std::int64_t result = code_.first_result;
    run.param = changed(code_.param, result++, element);
    for (std::size_t i = 0; i < 2; ++i)
      if (code_.slots[i] >= 0) run.slots[i] = changed(code_.slots[i], result++, element);
    run.average = changed(code_.average, result, element);
    const KernelInput gradient = call_.input(static_cast<int>(code_.gradient));
    run.gradient_dtype = gradient.dtype;
    if (!drops_)
      run.gradient = gradient.data + static_cast<std::size_t>(element) * byte_size(gradient.dtype);
    return run;
  }

  void run_row(std::int64_t row, Range columns, float* products) const {
    UpdateNumbers numbers = numbers_;
    UpdateRun run = run_at(row * rows_.row_size() + columns.begin);
    const RowFactor factor =
        row_factor(rows_, std::span(factors_).first(num_factors_), row, columns, products);
    numbers.gradient_factor *= factor.all;
    run.factors = factor.each;
    update_run(numbers, run, columns.size());
  }

  // Copies unchanged arrays to results that do not share their memory.
  void copy_rows(Range rows, Range columns) const {
    const std::int64_t size = (rows.size() - 1) * rows_.row_size() + columns.size();
    const UpdateRun run = run_at(rows.begin * rows_.row_size() + columns.begin);
    for (const Changed& array : {run.param, run.slots[0], run.slots[1], run.average}) {
      if (array.from != array.to)
        std::memcpy(array.to, array.from, static_cast<std::size_t>(size) * byte_size(array.dtype));
    }
  }

  const KernelCall& call_;
  const UpdateCode& code_;
  std::array<const float*, kMostBroadcast> factors_ = {};
  std::size_t num_factors_ = 0;
  BroadcastRows rows_;
  UpdateNumbers numbers_;
  bool drops_ = false;  // treats the gradient as zeros
};

struct ArrayTasks {
  std::int64_t code;  // start of the array's code
  std::int64_t end;   // number of tasks up to and including this array
};

struct Update {
  static constexpr std::string_view kName = "mw_update";
  static constexpr int kAbiVersion = 1;

  static void run(KernelCall& call) {
    const auto codes = call.attr<std::span<const std::int64_t>>("codes");
    const auto numbers = call.attr<std::span<const double>>("numbers");
    const std::int64_t size = num_arrays(numbers);
    auto with_array = [&](std::int64_t array, std::int64_t at, const auto& body) {
      const UpdateCode code = decoded(codes, at);
      body(Array(call, code, decoded_numbers(numbers, array)));
      return at;
    };

    const std::int64_t room = padded(size * std::int64_t{sizeof(ArrayTasks) / sizeof(float)});
    SharedScratch scratch(room);
    void* memory = scratch.take(room);
    auto* tasks = static_cast<ArrayTasks*>(memory);
    std::uninitialized_default_construct_n(tasks, size);
    std::int64_t at = 0, num_tasks = 0;
    for (std::int64_t array = 0; array < size; ++array) {
      const std::int64_t begin = at;
      at = with_array(array, at, [&](const Array& a) { num_tasks += a.num_tasks(); });
      tasks[array] = {begin, num_tasks};
    }
    call.parallel_for(num_tasks, [&](std::int64_t task) {
      const ArrayTasks* found =
          std::upper_bound(tasks, tasks + size, task,
                           [](std::int64_t t, const ArrayTasks& entry) { return t < entry.end; });
      const std::int64_t first = found == tasks ? 0 : found[-1].end;
      with_array(found - tasks, found->code, [&](const Array& a) { a.run_task(task - first); });
    });
  }
};

}  // namespace

constexpr pjrt::Kernel kUpdateHandler = pjrt::kernel<Update>();

}  // namespace meshwright::kernels
