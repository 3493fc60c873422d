// SPDX-License-Identifier: Apache-2.0
// Distributes rows, or columns if rows are few, over a number of tasks that depends on the shape
// alone. Tasks that contribute to the same sums compute partial sums first.
#include "meshwright/kernels/sums/square_sums_handlers.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "meshwright/kernels/common/by_dtype.h"
#include "meshwright/kernels/common/ranges.h"
#include "meshwright/kernels/common/scratch.h"
#include "meshwright/kernels/rows/broadcast_rows.h"
#include "meshwright/kernels/rows/row_factors.h"
#include "meshwright/kernels/simd/lanes.h"
#include "meshwright/kernels/simd/square_sums.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::kernels {
namespace {

using pjrt::KernelCall;

constexpr std::int64_t kElementsOfTask = 1 << 15;
constexpr std::int64_t kManyRows = 64;
// Maximum number of floats in the partial sums of all tasks.
constexpr std::int64_t kMostOfParts = 1 << 19;
constexpr std::int64_t kElementsAtOnce = 1 << 12;

class Sums {
 public:
  explicit Sums(const KernelCall& call) : call_(call), rows_(find_arrays()) {
    const std::int64_t size = rows_.num_rows() * rows_.row_size();
    std::int64_t num_tasks = num_chunks(size, kElementsOfTask);
    splits_rows_ = rows_.num_rows() >= kManyRows;
    for (std::size_t i = 0; i < num_sums_; ++i) {
      sum_size_[i] = call_.output(static_cast<int>(i)).num_elements();
      if (is_of_one_task(i)) continue;
      const std::int64_t room = std::min(kMostOfParts, size / 4);
      num_tasks = std::min(num_tasks, room / sum_size_[i]);
    }
    const std::int64_t units =
        splits_rows_ ? rows_.num_rows() : num_chunks(rows_.row_size(), kLanes);
    num_tasks = std::clamp(num_tasks, std::int64_t{1}, units);
    units_of_task_ = num_chunks(units, num_tasks);
    num_tasks_ = num_chunks(units, units_of_task_);
  }

  void run() {
    std::int64_t room = 0;
    for (std::size_t i = 0; i < num_sums_; ++i)
      if (needs_parts(i)) room += num_tasks_ * room_of_part(i);
    SharedScratch scratch(room);
    for (std::size_t i = 0; i < num_sums_; ++i) {
      if (needs_parts(i)) parts_[i] = scratch.take(num_tasks_ * room_of_part(i));
      std::fill_n(sum(i), sum_size_[i], 0.0F);
    }
    call_.parallel_for(num_tasks_, [&](std::int64_t task) {
      by_dtype(call_.input(0).dtype, [&](auto x) { run_task<decltype(x)>(task); });
    });
    for (std::size_t i = 0; i < num_sums_; ++i)
      if (needs_parts(i)) add_parts(i);
  }

 private:
  BroadcastRows find_arrays() {
    std::array<std::span<const std::int64_t>, kMostBroadcast> dims;
    for (int i = 1; i < call_.num_inputs(); ++i) {
      const auto input = call_.input(i);
      const float* values = input.values<float>().data();
      if (input.dims.empty()) {
        factor_ *= values[0];
        continue;
      }
      dims[num_factors_] = input.dims;
      factors_[num_factors_++] = values;
    }
    num_sums_ = static_cast<std::size_t>(call_.num_outputs());
    for (std::size_t i = 0; i < num_sums_; ++i)
      dims[num_factors_ + i] = call_.output(static_cast<int>(i)).dims;
    return {call_.input(0).dims, std::span(dims).first(num_factors_ + num_sums_)};
  }

  // True if no two tasks share elements of a sum.
  bool is_of_one_task(std::size_t i) const {
    return splits_rows_ ? rows_.differs_by_row(num_factors_ + i)
                        : rows_.changes_in_row(num_factors_ + i);
  }
  bool needs_parts(std::size_t i) const { return num_tasks_ > 1 && !is_of_one_task(i); }
  std::int64_t room_of_part(std::size_t i) const { return padded(sum_size_[i]); }

  float* sum(std::size_t i) const {
    return call_.output(static_cast<int>(i)).values<float>().data();
  }

  template <typename T>
  void run_task(std::int64_t task) {
    Range rows{0, rows_.num_rows()}, columns{0, rows_.row_size()};
    if (splits_rows_) {
      rows = chunk_of(rows, units_of_task_, task);
    } else {
      columns = chunk_of(columns, units_of_task_ * kLanes, task);
    }
    std::array<float*, kMostBroadcast> sums = {};
    for (std::size_t i = 0; i < num_sums_; ++i) {
      sums[i] = needs_parts(i) ? parts_[i] + task * room_of_part(i) : sum(i);
      if (needs_parts(i)) std::fill_n(sums[i], sum_size_[i], 0.0F);
    }
    Scratch scratch(kElementsAtOnce);
    float* products = scratch.take(kElementsAtOnce);
    for (std::int64_t row = rows.begin; row < rows.end; ++row)
      for (std::int64_t part = 0; part < num_chunks(columns.size(), kElementsAtOnce); ++part)
        add<T>(row, chunk_of(columns, kElementsAtOnce, part), sums, products);
  }

  template <typename T>
  void add(std::int64_t row,
           Range columns,
           const std::array<float*, kMostBroadcast>& sums,
           float* products) {
    const T* x = call_.input(0).values<T>().data() + row * rows_.row_size() + columns.begin;
    const RowFactor factor =
        row_factor(rows_, std::span(factors_).first(num_factors_), row, columns, products);
    auto squares = [&](float* to) {
      return add_squares(x, factor.each, factor.all * factor_, columns.size(), to);
    };
    float total = 0;
    bool has_total = false;
    for (std::size_t i = 0; i < num_sums_; ++i) {
      if (!rows_.changes_in_row(num_factors_ + i)) continue;
      total = squares(sums[i] + rows_.offset(num_factors_ + i, row) + columns.begin);
      has_total = true;
    }
    for (std::size_t i = 0; i < num_sums_; ++i) {
      if (rows_.changes_in_row(num_factors_ + i)) continue;
      if (!has_total) total = squares(nullptr);
      has_total = true;
      sums[i][rows_.offset(num_factors_ + i, row)] += total;
    }
  }

  // Accumulates in f64, since there may be many partial sums.
  void add_parts(std::size_t i) {
    for (std::int64_t j = 0; j < sum_size_[i]; ++j) {
      double total = 0;
      for (std::int64_t task = 0; task < num_tasks_; ++task)
        total += parts_[i][task * room_of_part(i) + j];
      sum(i)[j] = static_cast<float>(total);
    }
  }

  const KernelCall& call_;
  float factor_ = 1;
  std::array<const float*, kMostBroadcast> factors_ = {};
  std::size_t num_factors_ = 0, num_sums_ = 0;
  BroadcastRows rows_;
  bool splits_rows_ = true;
  std::int64_t num_tasks_ = 1, units_of_task_ = 1;
  std::array<std::int64_t, kMostBroadcast> sum_size_ = {};
  std::array<float*, kMostBroadcast> parts_ = {};
};

struct SquareSums {
  static constexpr std::string_view kName = "mw_square_sums";
  static constexpr int kAbiVersion = 1;

  static void run(KernelCall& call) { Sums(call).run(); }
};

}  // namespace

constexpr pjrt::Kernel kSquareSumsHandler = pjrt::kernel<SquareSums>();

}  // namespace meshwright::kernels
