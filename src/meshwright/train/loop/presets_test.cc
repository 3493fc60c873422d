// SPDX-License-Identifier: Apache-2.0
// Each preset against the order in which the reference does things, written down here as that
// reference's own loop.
#include "meshwright/train/loop/presets.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/train/loop/agenda_testutil.h"

namespace meshwright::train {
namespace {

using Events = std::vector<std::string>;

struct Case {
  std::int64_t start;
  std::int64_t total;
};
const std::vector<Case> kCases = {{0, 10}, {0, 12}, {4, 11}, {6, 12}, {12, 12}, {0, 13}, {3, 4}};
const PresetConfig kPeriods = {.log = 4, .save = 3, .keep = 5, .eval = 6};

// What our loop did, with the traces left out unless asked for.
Events recorded(std::string_view name, Case c, const TraceConfig& trace = {}) {
  PresetConfig config = kPeriods;
  config.name = name;
  Preset p = preset(config);
  if (!trace.start_steps.empty()) p.loop.trace = trace;
  AgendaRecorder recorder;
  recorder.evaluators = {{"held_out", p.eval}};
  recorder.run(agenda_of(p), {.step = c.start, .is_fresh = c.start == 0, .max_step = c.total});
  return recorder.events();
}

std::string at(const char* what, std::int64_t step) {
  return str(what, ' ', step);
}

Events axlearn(Case c, const std::vector<std::int64_t>& traces) {
  Events out;
  std::int64_t step = c.start;
  auto eval_and_save = [&] {
    if (step >= 1 && step % 6 == 0) out.push_back(at("eval held_out", step));
    if (step >= 1 && step % 3 == 0) out.push_back(at("save", step));
  };
  if (c.start == 0) eval_and_save();
  if (step >= c.total) return out;
  std::int64_t stop_trace_step = -1;
  while (true) {
    if (step == stop_trace_step) {
      out.push_back(at("stop_trace", step));
      stop_trace_step = -1;
    }
    for (std::int64_t t : traces) {
      if (t != step || stop_trace_step >= 0) continue;
      out.push_back(at("start_trace", step));
      stop_trace_step = step + 3;
    }
    step += 1;
    out.push_back(at("update", step));
    const bool is_logged = step % 4 == 0 || (0 <= step && step <= 5);
    out.push_back(at(is_logged ? "log" : "summarize", step));
    eval_and_save();
    if (step >= c.total) break;
  }
  if (stop_trace_step >= 0) out.push_back(at("stop_trace", step));  // forgotten there
  return out;
}

TEST(Presets, AxlearnOrder) {
  for (Case c : kCases)
    EXPECT_EQ(recorded("axlearn", c), axlearn(c, {})) << c.start << " to " << c.total;
}

TEST(Presets, AxlearnTraces) {
  TraceConfig trace{.start_steps = {0, 4, 7, 11}, .num_steps = 3};
  for (Case c : kCases) {
    EXPECT_EQ(recorded("axlearn", c, trace), axlearn(c, trace.start_steps))
        << c.start << " to " << c.total;
  }
}

Events t5x(Case c) {
  Events out;
  std::int64_t step = c.start;
  // "Saving checkpoint before the training loop starts."; one that exists is skipped.
  if (c.start == 0) out.push_back(at("save", step));
  if (c.total == c.start) return out;
  while (step < c.total) {
    step += 1;
    out.push_back(at("update", step));
    bool is_final = step == c.total;
    std::int64_t offset = step - c.start;
    if (is_final || offset % 4 == 0) out.push_back(at("log", step));
    if (is_final || offset % 3 == 0) out.push_back(at("save", step));
    if (is_final || offset % 6 == 0) out.push_back(at("eval held_out", step));
  }
  return out;
}

TEST(Presets, T5xOrder) {
  for (Case c : kCases)
    EXPECT_EQ(recorded("t5x", c), t5x(c)) << c.start << " to " << c.total;
}

bool itstime(std::int64_t step, double n, std::int64_t total, bool last, bool first) {
  bool close_to_last = std::abs(static_cast<double>(step - total)) < 0.25 * n;
  bool is_step = step % static_cast<std::int64_t>(n) == 0 && !close_to_last;
  return is_step || (last && step == total) || (first && step == 1);
}

Events big_vision(Case c) {
  Events out;
  if (c.start == c.total || c.start == 0) out.push_back(at("eval held_out", c.start));
  int ticks = 0;
  for (std::int64_t step = c.start + 1; step <= c.total; ++step) {
    out.push_back(at("update", step));
    if (itstime(step, 4, c.total, true, true) || ticks < 2) {
      out.push_back(at("log", step));
      ++ticks;
    }
    if (itstime(step, 5, c.total, true, false) || itstime(step, 3, c.total, true, true))
      out.push_back(at("save", step));
    if (itstime(step, 6, c.total, true, false)) out.push_back(at("eval held_out", step));
  }
  return out;
}

TEST(Presets, BigVisionOrder) {
  for (Case c : kCases)
    EXPECT_EQ(recorded("big_vision", c), big_vision(c)) << c.start << " to " << c.total;
}

// Its steps count from 0, and its log of step k is ours of k + 1 updates.
Events seqax(Case c) {
  Events out;
  for (std::int64_t step = c.start; step < c.total; ++step) {
    if (step % 3 == 0 && step > c.start) out.push_back(at("save", step));
    if (step == c.start + 1) out.push_back(at("start_trace", step));
    out.push_back(at("update", step + 1));
    if (step == c.start + 2) out.push_back(at("stop_trace", step + 1));
    out.push_back(at("log", step + 1));
  }
  return out;
}

TEST(Presets, SeqaxOrder) {
  for (Case c : kCases)
    EXPECT_EQ(recorded("seqax", c), seqax(c)) << c.start << " to " << c.total;
}

TEST(Presets, AnUnknownNameIsAnErrorWithTheNearestOne) {
  const Error error = thrown_by([&] { preset({.name = "big_visoin"}); });
  EXPECT_NE(std::string(error.what()).find("did you mean 'big_vision'"), std::string::npos);
}

}  // namespace
}  // namespace meshwright::train
