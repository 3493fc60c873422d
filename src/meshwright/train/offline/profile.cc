// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/offline/profile.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>

#include "meshwright/pjrt/kernel_clock.h"
#include "meshwright/runtime/op_times.h"
#include "meshwright/train/restore/initial_state.h"
#include "meshwright/train/trainer/programs.h"

namespace meshwright::train {
namespace {

// The first steps run with untouched memory and cold caches.
constexpr int kNumWarmUps = 2;

double time_step(StepRunner& runner, const data::Batch& batch) {
  const auto begin = std::chrono::steady_clock::now();
  runner.update(batch);
  runner.wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Strips the operation at the end of a traced instruction's name.
std::string module_of(const std::string& op_name) {
  const std::size_t end = op_name.rfind('/');
  return end == std::string::npos ? "" : op_name.substr(0, end);
}

/// Merges instructions with equal operation and module into one entry.
class Parts {
 public:
  void add(const runtime::OpTime& op, double seconds_each, bool is_measured) {
    std::map<std::string, std::int64_t> by_module;
    for (const std::string& name : op.where)
      ++by_module[module_of(name)];
    if (by_module.empty()) by_module[""] = 1;
    std::int64_t num_places = 0;
    for (const auto& [module, count] : by_module)
      num_places += count;
    for (const auto& [module, count] : by_module) {
      StepPart& part = parts_[{op.what, op.type, module}];
      part = {op.what, op.type, module, part.times, part.seconds, is_measured};
      // A loop runs each of its places equally often.
      part.times += op.count * count / num_places;
      part.seconds +=
          seconds_each * static_cast<double>(op.count * count) / static_cast<double>(num_places);
    }
  }

  std::vector<StepPart> sorted() const {
    std::vector<StepPart> out;
    for (const auto& [key, part] : parts_)
      out.push_back(part);
    std::ranges::stable_sort(out, std::greater(), &StepPart::seconds);
    return out;
  }

 private:
  std::map<std::tuple<std::string, std::string, std::string>, StepPart> parts_;
};

void add_kernels(const std::vector<pjrt::KernelTime>& times,
                 const std::vector<runtime::OpTime>& places,
                 int num_steps,
                 double step_seconds,
                 Parts& parts) {
  double all_steps = 0;
  for (const pjrt::KernelTime& time : times)
    all_steps += time.seconds;
  // Kernel calls that overlap take less time than the sum of their durations.
  const double scale = std::min(1.0, step_seconds * num_steps / std::max(all_steps, 1e-12));
  for (const pjrt::KernelTime& time : times) {
    auto place = std::ranges::find_if(places, [&](const runtime::OpTime& op) {
      return op.what == time.kernel && op.inputs == time.inputs;
    });
    runtime::OpTime op = place == places.end() ? runtime::OpTime{.what = time.kernel} : *place;
    op.count = time.calls / num_steps;
    parts.add(op, scale * time.seconds / static_cast<double>(time.calls), true);
  }
}

}  // namespace

double StepProfile::median_step_seconds() const {
  std::vector<double> sorted = step_seconds;
  std::ranges::sort(sorted);
  return sorted[sorted.size() / 2];
}

double StepProfile::kernel_seconds() const {
  double sum = 0;
  for (const StepPart& part : parts)
    if (part.is_measured) sum += part.seconds;
  return sum;
}

StepProfile profile_step(const Job& job, const runtime::Client& client, int num_steps) {
  const TrainingSetup setup = setup_of(job);
  const data::Rows rows{0, data::batch_size(*job.source)};
  const data::Batch batch = job.source->batch(0, rows);
  data::check_integers(batch, job.task->integer_ranges(), rows);
  StepRunner runner(client, setup, job.source->spec(), job.config.step);
  StepProfile out{.flops = num_step_flops(setup, job.source->spec())};
  begin_state(runner, setup.layout, job.config.seed, job.init_state);
  for (int i = 0; i < kNumWarmUps; ++i)
    time_step(runner, batch);
  for (int i = 0; i < num_steps; ++i)
    out.step_seconds.push_back(time_step(runner, batch));

  const pjrt::KernelClock clock;
  for (int i = 0; i < num_steps; ++i)
    time_step(runner, batch);
  const std::vector<pjrt::KernelTime> kernels = clock.times();
  out.kernel_choices = runner.executable().signature().kernel_choices;
  const runtime::OpTimes times = runtime::time_ops(runner.executable());

  Parts parts;
  add_kernels(kernels, times.kernels, num_steps, out.median_step_seconds(), parts);
  out.parts = parts.sorted();
  const double left = std::max(0.0, out.median_step_seconds() - out.kernel_seconds());
  for (const runtime::OpTime& op : times.ops)
    out.alone_seconds += op.seconds * static_cast<double>(op.count);
  const double scale = out.alone_seconds > 0 ? left / out.alone_seconds : 0;
  for (const runtime::OpTime& op : times.ops)
    parts.add(op, op.seconds * scale, false);
  out.parts = parts.sorted();
  for (const runtime::OpTime& op : times.untimed)
    out.untimed.push_back(op.what);
  return out;
}

}  // namespace meshwright::train
