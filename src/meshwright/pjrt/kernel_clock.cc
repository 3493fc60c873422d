// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/kernel_clock.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "meshwright/base/check.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::pjrt {

namespace {

std::atomic<KernelClock*> current = nullptr;
std::mutex mutex;  // guards the clock and its measurements

std::vector<ArrayType> input_types(const KernelCall& call) {
  std::vector<ArrayType> out;
  for (int i = 0; i < call.num_inputs(); ++i) {
    const KernelInput input = call.input(i);
    out.push_back({input.dtype, {input.dims.begin(), input.dims.end()}});
  }
  return out;
}

}  // namespace

KernelClock::KernelClock() {
  KernelClock* none = nullptr;
  MW_CHECK(current.compare_exchange_strong(none, this), "only one KernelClock may exist at a time");
}

KernelClock::~KernelClock() {
  std::lock_guard lock(mutex);
  current = nullptr;
}

std::vector<KernelTime> KernelClock::times() const {
  std::lock_guard lock(mutex);
  return times_;
}

void KernelClock::add(std::string_view kernel, std::vector<ArrayType> inputs, double seconds) {
  auto found = std::ranges::find_if(times_, [&](const KernelTime& time) {
    return time.kernel == kernel && time.inputs == inputs;
  });
  if (found == times_.end())
    found =
        times_.insert(times_.end(), {.kernel = std::string(kernel), .inputs = std::move(inputs)});
  ++found->calls;
  found->seconds += seconds;
}

KernelClock::Measure::Measure(const KernelCall& call, std::string_view kernel) noexcept
    : call_(call), kernel_(kernel), is_on_(current.load(std::memory_order_relaxed) != nullptr) {
  if (is_on_) begin_ = std::chrono::steady_clock::now();
}

KernelClock::Measure::~Measure() {
  if (!is_on_) return;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
  std::lock_guard lock(mutex);
  if (KernelClock* clock = current) clock->add(kernel_, input_types(call_), took.count());
}

}  // namespace meshwright::pjrt
