// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/dropout/dropout_handlers.h"

#include <cstdint>

#include "meshwright/kernels/common/by_dtype.h"
#include "meshwright/kernels/common/ranges.h"
#include "meshwright/kernels/dropout/dropping.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::kernels {
namespace {

using pjrt::KernelCall;

constexpr std::int64_t kElementsOfTask = 1 << 14;

struct Dropout {
  static constexpr std::string_view kName = "mw_dropout";
  static constexpr int kAbiVersion = 1;

  static void run(KernelCall& call) {
    by_dtype(call.input(0).dtype, [&](auto element) { drop<decltype(element)>(call); });
  }

  template <typename T>
  static void drop(const KernelCall& call) {
    const T* x = call.input(0).values<T>().data();
    T* out = call.output(0).values<T>().data();
    const Dropping dropping = dropping_of(call, 1);
    const Range all = {0, call.input(0).num_elements()};
    call.parallel_for(num_chunks(all.size(), kElementsOfTask), [&](std::int64_t task) {
      const Range some = chunk_of(all, kElementsOfTask, task);
      dropping.drop(some.begin, x + some.begin, some.size(), out + some.begin);
    });
  }
};

}  // namespace

constexpr pjrt::Kernel kDropoutHandler = pjrt::kernel<Dropout>();

}  // namespace meshwright::kernels
