// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/retention/retention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "meshwright/base/log.h"
#include "meshwright/checkpoint/format/manifest.h"
#include "meshwright/checkpoint/format/pins.h"
#include "meshwright/checkpoint/run/steps.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

constexpr const char* kMetricName = "retention/metric";
constexpr const char* kMetricValue = "retention/value";
constexpr const char* kSavedSeconds = "retention/saved_seconds";

using Steps = std::vector<CheckpointFacts>;

// Keeps the first checkpoint, and then each one that is far enough from the last one kept.
template <typename Distance>
void keep_some(const Steps& steps, const Distance& is_far, std::set<std::int64_t>& out) {
  const CheckpointFacts* last = nullptr;
  for (const CheckpointFacts& step : steps) {
    if (last != nullptr && !is_far(*last, step)) continue;
    last = &step;
    out.insert(step.step);
  }
}

// Returns the rank of a checkpoint, larger if it is better. Those without a metric are the worst.
double rank(const CheckpointFacts& step, Better mode) {
  if (!step.metric || std::isnan(*step.metric)) return -std::numeric_limits<double>::infinity();
  return mode == Better::max ? *step.metric : -*step.metric;
}

// Keeps the best of those that no other rule keeps, as T5X does. A tie goes to the newer one.
void keep_best(Steps steps, const KeepBest& rule, std::set<std::int64_t>& out) {
  std::erase_if(steps, [&](const CheckpointFacts& s) { return out.contains(s.step); });
  if (rule.keeps_without_metric()) {
    for (const CheckpointFacts& s : steps)
      if (!s.metric) out.insert(s.step);
    std::erase_if(steps, [](const CheckpointFacts& s) { return !s.metric; });
  }
  std::ranges::stable_sort(steps, {}, [&](const CheckpointFacts& s) { return rank(s, rule.mode); });
  const std::size_t num_worse =
      steps.size() - std::min(steps.size(), static_cast<std::size_t>(rule.n));
  for (std::size_t i = num_worse; i < steps.size(); ++i)
    out.insert(steps[i].step);
}

void add_metrics(const std::map<std::int64_t, double>& values, Steps& steps) {
  for (CheckpointFacts& step : steps)
    if (const auto found = values.find(step.step); found != values.end())
      step.metric = found->second;
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
    auto is_far = [&](const CheckpointFacts& a, const CheckpointFacts& b) {
      return b.step - a.step >= *n;
    };
    keep_some(steps, is_far, kept);
  }
  if (const auto& seconds = retention.keep_every_seconds) {
    Steps timed = steps;
    std::erase_if(timed, [](const CheckpointFacts& step) { return !step.saved_seconds; });
    auto is_far = [&](const CheckpointFacts& a, const CheckpointFacts& b) {
      // Subtracts in floating point: with arbitrary clock values, integers could overflow.
      const double passed =
          static_cast<double>(*b.saved_seconds) - static_cast<double>(*a.saved_seconds);
      return std::abs(passed) >= *seconds;
    };
    keep_some(timed, is_far, kept);
  }
  if (const auto& n = retention.keep_multiples_of) {
    for (const CheckpointFacts& step : steps)
      if (step.step % *n == 0) kept.insert(step.step);
  }
  for (std::size_t i = steps.size() - std::min(steps.size(), num_newest); i < steps.size(); ++i)
    kept.insert(steps[i].step);
  if (retention.keep_best) keep_best(steps, *retention.keep_best, kept);
  std::vector<std::int64_t> out;
  for (const CheckpointFacts& step : steps)
    if (!kept.contains(step.step)) out.push_back(step.step);
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

Collector::Collector(const Format& format,
                     Files files,
                     std::string run,
                     Retention retention,
                     std::optional<std::string> run_id)
    : format_(format),
      files_(std::move(files)),
      run_(std::move(run)),
      retention_(std::move(retention)),
      run_id_(std::move(run_id)) {
  const auto& best = retention_.keep_best;
  if (best && best->event_files)
    events_.emplace(io::open_file_system(*best->event_files), best->evaluator, best->metric);
}

bool Collector::is_own(const Stored& step) const {
  const bool has_manifest = step.is_verified;
  return has_manifest && may_be_same_run(step.run, run_id_.value_or(""));
}

std::optional<Collector::Step> Collector::look_at(const CheckpointEntry& entry,
                                                  std::vector<Flaw>& flaws) const {
  try {
    const Stored stored = inspect(format_, files_, entry);
    Step out{.facts = {.step = entry.step}};
    out.facts.saved_seconds = find_value<std::int64_t>(stored.meta, kSavedSeconds);
    const auto& best = retention_.keep_best;
    if (best && find_value<std::string>(stored.meta, kMetricName) == best->name())
      out.facts.metric = find_value<double>(stored.meta, kMetricValue);
    out.is_own = is_own(stored);
    return out;
  } catch (const Error& error) {
    Flaw flaw = flaw_of(entry, error);
    if (files_->find(entry.folder)) flaws.push_back(std::move(flaw));
    return std::nullopt;
  }
}

// Checks all checkpoints each time: if one has become unreadable, a rule keeps another instead.
Collector::Found Collector::find(bool only_own) {
  Found out;
  std::vector<CheckpointEntry> entries;
  Steps facts;
  for (CheckpointEntry& entry : list_steps(format_, files_, run_)) {
    const std::optional<Step> step = look_at(entry, out.flaws);
    if (!step || (only_own && !step->is_own)) continue;
    entries.push_back(std::move(entry));
    facts.push_back(step->facts);
  }
  if (events_) add_metrics(events_->update(), facts);
  const std::vector<std::int64_t> chosen = steps_to_remove(facts, retention_);
  for (const CheckpointEntry& entry : entries) {
    if (std::ranges::binary_search(chosen, entry.step) && !is_pinned(*files_, entry.folder))
      out.to_remove.push_back(entry);
  }
  return out;
}

Collector::Found Collector::find() {
  return find(/*only_own=*/false);
}

// Warns if the last saved checkpoint is gone. No rule deletes the newest, so another program did.
void Collector::tell_of_loss() const {
  if (!last_saved_) return;
  const std::string folder = io::join_path(run_, format_.step_name(*last_saved_));
  if (files_->find(folder)) return;
  log_warning("the checkpoint of step ", *last_saved_,
              ", which this run saved, is gone: another program ", "removed or moved ",
              files_->full_name(folder));
}

void Collector::collect(std::int64_t saved_step) {
  try {
    tell_of_loss();
    last_saved_ = saved_step;
    const Found found = find(/*only_own=*/true);
    for (const Flaw& flaw : found.flaws) {
      if (told_of_.insert(flaw.step.folder).second)
        log_warning("retention ignores an unreadable checkpoint: ", flaw.what);
    }
    for (const CheckpointEntry& entry : found.to_remove) {
      if (entry.step == saved_step) continue;
      format_.remove(files_, entry.folder);
    }
  } catch (const Error& error) {
    log_warning("removing old checkpoints: ", error.what());
  }
}

}  // namespace meshwright::checkpoint
