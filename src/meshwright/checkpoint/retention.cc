// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/retention.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "meshwright/base/log.h"
#include "meshwright/checkpoint/manifest.h"
#include "meshwright/checkpoint/pins.h"
#include "meshwright/checkpoint/step_folders.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

constexpr const char* kMetricName = "retention/metric";
constexpr const char* kMetricValue = "retention/value";
constexpr const char* kSavedSeconds = "retention/saved_seconds";

using Steps = std::vector<StepFacts>;

// The first, and then each that is far enough from the last of these.
template <typename Distance>
void keep_some(const Steps& steps, const Distance& is_far, std::set<std::int64_t>& out) {
  const StepFacts* last = nullptr;
  for (const StepFacts& step : steps) {
    if (last != nullptr && !is_far(*last, step)) continue;
    last = &step;
    out.insert(step.step);
  }
}

// Of equal ones the older, as when saving by best metric.
void keep_best(Steps steps, const KeepBest& rule, std::set<std::int64_t>& out) {
  std::erase_if(steps, [](const StepFacts& s) { return !s.metric || std::isnan(*s.metric); });
  const double sign = rule.mode == Better::max ? 1 : -1;
  std::ranges::stable_sort(steps, std::greater(),
                           [&](const StepFacts& s) { return sign * *s.metric; });
  for (std::size_t i = 0; i < steps.size() && i < static_cast<std::size_t>(rule.n); ++i)
    out.insert(steps[i].step);
}

template <typename T>
std::optional<T> find_value(const Meta& meta, const char* path) {
  const Meta* found = meta.find(path);
  if (found == nullptr || !found->is_leaf()) return std::nullopt;
  const T* value = std::get_if<T>(&found->value());
  return value != nullptr ? std::optional<T>(*value) : std::nullopt;
}

}  // namespace

std::vector<std::int64_t> steps_to_remove(const Steps& steps, const Retention& retention) {
  if (!retention.keep_last_n) return {};
  const auto num_newest =
      static_cast<std::size_t>(std::max<std::int64_t>(*retention.keep_last_n, 1));
  std::set<std::int64_t> kept;
  if (const auto& n = retention.keep_every_n_steps) {
    auto is_far = [&](const StepFacts& a, const StepFacts& b) { return b.step - a.step >= *n; };
    keep_some(steps, is_far, kept);
  }
  if (const auto& seconds = retention.keep_every_seconds) {
    Steps timed = steps;
    std::erase_if(timed, [](const StepFacts& step) { return !step.saved_seconds; });
    auto is_far = [&](const StepFacts& a, const StepFacts& b) {
      return static_cast<double>(*b.saved_seconds - *a.saved_seconds) >= *seconds;
    };
    keep_some(timed, is_far, kept);
  }
  if (retention.keep_best) keep_best(steps, *retention.keep_best, kept);
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i + num_newest < steps.size(); ++i)
    if (!kept.contains(steps[i].step)) out.push_back(steps[i].step);
  return out;
}

void add_facts(Meta& meta,
               const Retention& retention,
               std::optional<double> metric,
               std::int64_t now_seconds) {
  if (retention.keep_best && metric) {
    meta[kMetricName] = Scalar(retention.keep_best->name());
    meta[kMetricValue] = Scalar(*metric);
  }
  if (retention.keep_every_seconds) meta[kSavedSeconds] = Scalar(now_seconds);
}

StepFacts Collector::facts(const StepEntry& entry) {
  StepFacts out{.step = entry.step};
  if (!retention_.keep_best && !retention_.keep_every_seconds) return out;
  if (auto known = known_.find(entry.step); known != known_.end()) return known->second;
  try {
    const Meta meta = format_.open(files_, entry.folder).meta;
    out.saved_seconds = find_value<std::int64_t>(meta, kSavedSeconds);
    const bool is_that = retention_.keep_best &&
                         find_value<std::string>(meta, kMetricName) == retention_.keep_best->name();
    if (is_that) out.metric = find_value<double>(meta, kMetricValue);
  } catch (const Error& error) {
    warn("the checkpoint of step ", entry.step, " does not say when it may go: ", error.what());
  }
  return known_[entry.step] = out;
}

std::vector<StepEntry> Collector::find() {
  std::vector<StepEntry> entries = list_steps(format_, files_, run_);
  std::erase_if(entries, [](const StepEntry& entry) { return !entry.is_committed; });
  Steps steps;
  for (const StepEntry& entry : entries)
    steps.push_back(facts(entry));
  const std::vector<std::int64_t> chosen = steps_to_remove(steps, retention_);
  std::erase_if(entries, [&](const StepEntry& entry) {
    return !std::ranges::binary_search(chosen, entry.step) || is_pinned(*files_, entry.folder);
  });
  return entries;
}

void Collector::collect(std::int64_t saved_step) {
  known_.erase(saved_step);  // there may have been another one
  try {
    for (const StepEntry& entry : find()) {
      if (!files_->find(io::join_path(entry.folder, kManifestFile))) continue;
      known_.erase(entry.step);
      format_.remove(files_, entry.folder);
    }
  } catch (const Error& error) {
    warn("removing old checkpoints: ", error.what());
  }
}

}  // namespace meshwright::checkpoint
