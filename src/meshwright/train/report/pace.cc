// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/report/pace.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace meshwright::train {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Pace::Pace(const StepWork& work, std::function<double()> seconds)
    : work_(work), seconds_(std::move(seconds)), start_seconds_(seconds_()) {}

void Pace::restart(std::int64_t num_done, double wait_seconds) {
  start_seconds_ = seconds_();
  start_num_done_ = num_done;
  start_wait_seconds_ = wait_seconds;
}

metrics::Progress Pace::report(std::int64_t num_done, double wait_seconds) {
  metrics::Progress out;
  out.items = work_.num_tokens > 0 ? "tokens" : "examples";
  const double seconds = seconds_() - start_seconds_;
  const auto num_steps = static_cast<double>(num_done - start_num_done_);
  if (num_steps <= 0 || seconds <= 0) return out;
  const double rate = num_steps / seconds;
  out.seconds_per_step = 1 / rate;
  out.items_per_second = rate * (work_.num_tokens > 0 ? work_.num_tokens : work_.num_examples);
  out.flops_per_second = rate * work_.num_flops;
  if (work_.peak_flops) out.mfu = *out.flops_per_second / *work_.peak_flops;
  out.wait_fraction = std::clamp((wait_seconds - start_wait_seconds_) / seconds, 0.0, 1.0);
  restart(num_done, wait_seconds);
  return out;
}

}  // namespace meshwright::train
