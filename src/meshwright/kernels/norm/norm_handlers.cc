// SPDX-License-Identifier: Apache-2.0
// Each task takes a chunk of rows. Gradients of scale and bias are summed per task, then overall.
#include "meshwright/kernels/norm/norm_handlers.h"

#include <algorithm>
#include <functional>

#include "meshwright/kernels/common/by_dtype.h"
#include "meshwright/kernels/common/ranges.h"
#include "meshwright/kernels/common/scratch.h"
#include "meshwright/kernels/simd/halves.h"
#include "meshwright/kernels/simd/lanes.h"
#include "meshwright/kernels/simd/norm.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::kernels {
namespace {

using pjrt::KernelCall;

// Elements of x per task; they fit into the L1 or L2 cache.
constexpr std::int64_t kElementsOfTask = 1 << 14;

struct Tasks {
  explicit Tasks(const KernelCall& call)
      : size(call.input(0).dims.back()),
        rows(call.input(0).num_elements() / size),
        rows_of_task(std::max<std::int64_t>(1, kElementsOfTask / size)) {}

  std::int64_t size, rows, rows_of_task;

  std::int64_t count() const { return num_chunks(rows, rows_of_task); }
  std::int64_t rows_of(std::int64_t task) const {
    return std::min(rows_of_task, rows - task * rows_of_task);
  }
  std::int64_t first(std::int64_t task) const { return task * rows_of_task * size; }
};

RowNorm norm_of(const KernelCall& call) {
  return {.size = call.input(0).dims.back(),
          .centered = call.attr<bool>("centered"),
          .epsilon = static_cast<float>(call.attr<double>("epsilon")),
          .scale = call.input(1).values<float>().data()};
}

struct Norm {
  static constexpr std::string_view kName = "mw_norm";
  static constexpr int kAbiVersion = 1;

  static void run(KernelCall& call) {
    by_dtype(call.input(0).dtype, [&](auto x) { run_as<decltype(x)>(call); });
  }

  template <typename T>
  static void run_as(const KernelCall& call) {
    const Tasks tasks(call);
    RowNorm norm = norm_of(call);
    if (call.num_inputs() > 2) norm.bias = call.input(2).values<float>().data();
    const T* x = call.input(0).values<T>().data();
    T* out = call.output(0).values<T>().data();
    call.parallel_for(tasks.count(), [&](std::int64_t task) {
      const std::int64_t first = tasks.first(task), rows = tasks.rows_of(task);
      if constexpr (std::is_same_v<T, float>) {
        normalize_rows(norm, x + first, rows, out + first);
      } else {
        Scratch scratch(rows * tasks.size);
        float* all = scratch.take(rows * tasks.size);
        convert(x + first, rows * tasks.size, all);
        normalize_rows(norm, all, rows, all);
        convert(all, rows * tasks.size, out + first);
      }
    });
  }
};

struct NormGradient {
  static constexpr std::string_view kName = "mw_norm_gradient";
  static constexpr int kAbiVersion = 1;

  static void run(KernelCall& call) {
    by_dtype(call.input(0).dtype, [&](auto x) { run_as<decltype(x)>(call); });
  }

  template <typename T>
  static void run_as(const KernelCall& call) {
    const Tasks tasks(call);
    const RowNorm norm = norm_of(call);
    const bool has_bias = call.num_outputs() > 2;
    const std::int64_t room = padded(tasks.size);
    SharedScratch scratch(2 * room * tasks.count());
    float* sums = scratch.take(2 * room * tasks.count());
    call.parallel_for(tasks.count(), [&](std::int64_t task) {
      float* d_scale = sums + 2 * room * task;
      std::fill_n(d_scale, 2 * room, 0.0f);
      differentiate<T>(call, norm, tasks, task,
                       {.d_scale = d_scale, .d_bias = has_bias ? d_scale + room : nullptr});
    });
    add_up(sums, tasks, call.output(1).values<float>().data());
    if (has_bias) add_up(sums + room, tasks, call.output(2).values<float>().data());
  }

  template <typename T>
  static void differentiate(const KernelCall& call,
                            const RowNorm& norm,
                            const Tasks& tasks,
                            std::int64_t task,
                            RowNormGradients gradients) {
    const std::int64_t first = tasks.first(task), rows = tasks.rows_of(task);
    const T* x = call.input(0).values<T>().data() + first;
    const T* given = call.input(2).values<T>().data() + first;
    T* d_x = call.output(0).values<T>().data() + first;
    if constexpr (std::is_same_v<T, float>) {
      gradients.given = given, gradients.d_x = d_x;
      differentiate_rows(norm, x, rows, gradients);
    } else {
      const std::int64_t count = rows * tasks.size;
      Scratch scratch(2 * count);
      float* all = scratch.take(count);
      float* given_rows = scratch.take(count);
      convert(x, count, all);
      convert(given, count, given_rows);
      gradients.given = given_rows, gradients.d_x = given_rows;
      differentiate_rows(norm, all, rows, gradients);
      convert(given_rows, count, d_x);
    }
  }

  static void add_up(const float* sums, const Tasks& tasks, float* out) {
    std::fill_n(out, tasks.size, 0.0f);
    for (std::int64_t task = 0; task < tasks.count(); ++task) {
      const float* of_task = sums + 2 * padded(tasks.size) * task;
      std::transform(out, out + tasks.size, of_task, out, std::plus<>());
    }
  }
};

}  // namespace

constexpr pjrt::Kernel kNormHandler = pjrt::kernel<Norm>();
constexpr pjrt::Kernel kNormGradientHandler = pjrt::kernel<NormGradient>();

}  // namespace meshwright::kernels
