// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "meshwright/base/counted.h"
#include "meshwright/metrics/format.h"

namespace meshwright::metrics {
namespace {

std::string milliseconds(double seconds) {
  char text[64];
  std::snprintf(text, sizeof(text), seconds < 0.1 ? "%.2f ms" : "%.0f ms", 1e3 * seconds);
  return text;
}

std::string number_or_na(const std::optional<double>& number) {
  return number ? significant(*number) : "n/a";
}

}  // namespace

std::optional<double> seconds_left(const Progress& progress) {
  if (!progress.max_step || !progress.seconds_per_step) return std::nullopt;
  return static_cast<double>(std::max<std::int64_t>(0, *progress.max_step - progress.step)) *
         *progress.seconds_per_step;
}

std::string line_of(const Progress& progress) {
  std::vector<std::string> parts;
  parts.push_back(str("step ", with_separators(progress.step)));
  if (progress.max_step) parts.back() += str("/", with_separators(*progress.max_step));
  parts.push_back(str("loss ", number_or_na(progress.loss)));
  parts.push_back(str("lr ", number_or_na(progress.learning_rate)));
  parts.push_back(str("grad norm ", number_or_na(progress.gradient_norm)));
  const double rate = progress.items_per_second.value_or(NAN);
  parts.push_back(str(rate >= 100 ? whole_number(rate) : number_or_na(progress.items_per_second),
                      " ", progress.items, "/s"));
  parts.push_back(str("MFU ", progress.mfu ? percent(*progress.mfu) : "n/a"));
  parts.push_back(
      str(progress.seconds_per_step ? milliseconds(*progress.seconds_per_step) : "n/a", "/step"));
  if (progress.wait_fraction) parts.push_back(str("data wait ", percent(*progress.wait_fraction)));
  parts.push_back(str("ETA ", duration(seconds_left(progress).value_or(-1))));
  return join(parts, " | ");
}

std::vector<Entry> entries_of(const Progress& progress) {
  std::vector<Entry> out;
  auto add = [&](std::string name, const std::optional<double>& number) {
    if (number) out.push_back({std::move(name), *number});
  };
  add("perf/seconds_per_step", progress.seconds_per_step);
  add(str("perf/", progress.items, "_per_second"), progress.items_per_second);
  add("perf/model_flops_per_second", progress.flops_per_second);
  add("perf/mfu", progress.mfu);
  add("perf/data_wait_fraction", progress.wait_fraction);
  return out;
}

}  // namespace meshwright::metrics
