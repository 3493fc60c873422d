// SPDX-License-Identifier: Apache-2.0
// A task is some elements; the sums of tasks are added in f64.
#include "meshwright/kernels/sum_of_squares_handlers.h"

#include <numeric>

#include "meshwright/kernels/by_dtype.h"
#include "meshwright/kernels/ranges.h"
#include "meshwright/kernels/scratch.h"
#include "meshwright/kernels/simd/halves.h"
#include "meshwright/kernels/simd/lanes.h"
#include "meshwright/kernels/simd/sum_of_squares.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::kernels {
namespace {

using pjrt::KernelCall;

constexpr std::int64_t kElementsOfTask = 1 << 15;

float sum_of_task(const float* x, std::int64_t size) {
  return sum_of_squares_in(x, size);
}

float sum_of_task(const BFloat16* x, std::int64_t size) {
  Scratch scratch(padded(size));
  float* wide = scratch.take(padded(size));
  convert(x, size, wide);
  return sum_of_squares_in(wide, size);
}

struct SumOfSquares {
  static constexpr std::string_view kName = "mw_sum_of_squares";
  static constexpr int kAbiVersion = 1;

  static void run(KernelCall& call) {
    by_dtype(call.input(0).dtype, [&](auto x) { run_as<decltype(x)>(call); });
  }

  template <typename T>
  static void run_as(const KernelCall& call) {
    const std::int64_t size = call.input(0).num_elements();
    const std::int64_t num_tasks = num_parts(size, kElementsOfTask);
    const T* x = call.input(0).values<T>().data();
    SharedScratch scratch(padded(num_tasks));
    float* sums = scratch.take(padded(num_tasks));
    call.parallel_for(num_tasks, [&](std::int64_t task) {
      const Range range = part_of({0, size}, kElementsOfTask, task);
      sums[task] = sum_of_task(x + range.begin, range.size());
    });
    call.output(0).values<float>()[0] =
        static_cast<float>(std::accumulate(sums, sums + num_tasks, 0.0));
  }
};

}  // namespace

constexpr pjrt::Kernel kSumOfSquaresHandler = pjrt::kernel<SumOfSquares>();

}  // namespace meshwright::kernels
