// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/report/time_account.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>
#include <variant>

#include "meshwright/base/error.h"
#include "meshwright/base/json_value.h"
#include "meshwright/metrics/format.h"

namespace meshwright::train {
namespace {

struct SpentName {
  Spent what;
  const char* name;
  const char* text;  // for the console
};
constexpr std::array<SpentName, kNumSpent> kNames = {
    {{Spent::starting, "starting", "starting"},
     {Spent::compiling, "compiling", "compiling"},
     {Spent::restoring, "restoring", "restoring the state"},
     {Spent::data_wait, "data_wait", "waiting for data"},
     {Spent::steps, "steps", "steps"},
     {Spent::evaluating, "evaluating", "evaluating"},
     {Spent::saving, "saving", "saves"},
     {Spent::checking, "checking", "checking updates"},
     {Spent::lost, "lost", "lost steps"}}};

constexpr const char* kGroup = "seconds/";
constexpr const char* kTotal = "seconds/total";
constexpr double kRoundsToNothing = 0.0005;

// Returns the end of a file, which for most files is the whole file.
std::string end_of(const io::FileSystem& files, const std::string& path) {
  constexpr std::uint64_t kMaxBytes = 16 << 20;
  try {
    return read_end(files, path, kMaxBytes);
  } catch (const Error&) {
    return "";
  }
}

// Returns nullopt for a truncated line.
std::optional<TimeSpent> told_in(std::string_view line) {
  try {
    const JsonValue record = parse_json(line, "metrics.jsonl");
    TimeSpent out;
    for (const SpentName& name : kNames) {
      const JsonValue* found = record.at("metrics").find(str(kGroup, name.name));
      if (found != nullptr) out[name.what] = found->as_number();
    }
    return out;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

double TimeSpent::total() const {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

double TimeSpent::goodput() const {
  const double all = total();
  return all > 0 ? (*this)[Spent::steps] / all : 0;
}

void TimeSpent::lose_steps_since(const TimeSpent& then) {
  const double lost = std::max(0.0, (*this)[Spent::steps] - then[Spent::steps]);
  (*this)[Spent::steps] -= lost;
  (*this)[Spent::lost] += lost;
}

std::string text_of(const TimeSpent& spent) {
  std::vector<std::pair<double, std::string>> others;
  for (const SpentName& name : kNames) {
    const double part = spent[name.what] / spent.total();
    if (name.what != Spent::steps && part >= kRoundsToNothing) others.emplace_back(part, name.text);
  }
  std::ranges::sort(others, std::greater());
  std::string out = str(metrics::duration(spent.total()), " since the run began: steps ",
                        metrics::percent(spent.goodput()));
  for (const auto& [part, text] : others)
    out += str(", ", text, " ", metrics::percent(part));
  return out;
}

std::vector<metrics::Entry> entries_of(const TimeSpent& spent) {
  std::vector<metrics::Entry> out = {{"perf/goodput", spent.goodput()}, {kTotal, spent.total()}};
  for (const SpentName& name : kNames)
    out.push_back({str(kGroup, name.name), spent[name.what]});
  return out;
}

TimeSpent last_told(const io::FileSystem& files, const std::string& metrics_jsonl) {
  const std::string lines = end_of(files, metrics_jsonl);
  std::size_t found = std::string::npos;
  while ((found = lines.rfind(kTotal, found)) != std::string::npos) {
    const std::size_t before = lines.rfind('\n', found);
    const std::size_t start = before == std::string::npos ? 0 : before + 1;
    const std::size_t size = lines.find('\n', found) - start;
    if (const auto told = told_in(std::string_view(lines).substr(start, size))) return *told;
    if (start == 0) break;
    found = start - 1;
  }
  return {};
}

checkpoint::Meta meta_of(const TimeSpent& spent) {
  checkpoint::Meta out;
  for (const SpentName& name : kNames)
    out[name.name] = Scalar(spent[name.what]);
  return out;
}

TimeSpent time_spent(const checkpoint::Meta* meta) {
  TimeSpent out;
  if (meta == nullptr) return out;
  for (const SpentName& name : kNames) {
    const checkpoint::Meta* found = meta->find(name.name);
    const auto* seconds = found != nullptr ? std::get_if<double>(&found->value()) : nullptr;
    if (seconds != nullptr) out[name.what] = *seconds;
  }
  return out;
}

TimeAccount::TimeAccount(std::optional<double> began, std::function<double()> now)
    : now_(std::move(now)), since_(began ? *began : now_()) {}

void TimeAccount::turn_to(Spent what) {
  const double now = now_();
  spent_[what_] += now - since_;
  since_ = now;
  what_ = what;
}

TimeSpent TimeAccount::so_far() const {
  TimeSpent out = spent_;
  out[what_] += now_() - since_;
  return out;
}

void TimeAccount::continue_from(const TimeSpent& told, const TimeSpent& saved) {
  TimeSpent earlier = told.total() >= saved.total() ? told : saved;
  earlier.lose_steps_since(saved);
  for (std::size_t i = 0; i < kNumSpent; ++i)
    spent_.seconds[i] += earlier.seconds[i];
}

void TimeAccount::lose_steps_since(const TimeSpent& saved) {
  turn_to(what_);
  spent_.lose_steps_since(saved);
}

}  // namespace meshwright::train
