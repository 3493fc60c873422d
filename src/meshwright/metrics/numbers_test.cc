// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/counted.h"
#include "meshwright/metrics/average.h"
#include "meshwright/metrics/console.h"
#include "meshwright/metrics/format.h"
#include "meshwright/metrics/histogram.h"
#include "meshwright/metrics/outputs.h"
#include "meshwright/metrics/progress.h"

namespace meshwright::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Averages, WeighValues) {
  Averages averages;
  averages.add("loss", 1.0, 3);
  averages.add({{"loss", WeightedScalar{6.0, 2}}, {"norm", 2.0}, {"text", Text{"no number"}}});
  averages.add({{"norm", 4.0}});
  EXPECT_EQ(averages.at("loss"), (WeightedScalar{3.0, 5}));
  EXPECT_EQ(averages.at("norm"), (WeightedScalar{3.0, 2}));
  EXPECT_EQ(averages.entries().size(), 2u);
  EXPECT_THAT([&] { averages.at("los"); }, ThrowsMessage<Error>(HasSubstr("no average 'los'")));
}

TEST(Averages, PaddingCountsNothing) {
  WeightedMean mean;
  EXPECT_EQ(mean.value(), (WeightedScalar{0, 0}));
  mean.add(std::nan(""), 0);
  mean.add(2, 5);
  EXPECT_EQ(mean.value(), (WeightedScalar{2, 5}));
}

TEST(Format, Numbers) {
  EXPECT_EQ(whole_number(1234.4), "1,234");
  EXPECT_EQ(whole_number(1e300), "1e+300");
  EXPECT_EQ(whole_number(-1e18), "-1e+18");
  EXPECT_EQ(with_separators(0), "0");
  EXPECT_EQ(with_separators(999), "999");
  EXPECT_EQ(with_separators(-1000), "-1,000");
  EXPECT_EQ(with_separators(-100), "-100");
  EXPECT_EQ(with_separators(1234567), "1,234,567");
  EXPECT_EQ(significant(0.432099), "0.4321");
  EXPECT_EQ(significant(std::nan("")), "nan");
  EXPECT_EQ(significant(-std::nan("")), "nan");
  EXPECT_EQ(percent(0.1234), "12.3%");
  EXPECT_EQ(byte_count(1000), "1000 bytes");
  EXPECT_EQ(byte_count(15.25 * 1024 * 1024 * 1024), "15.2 GB");
}

TEST(Format, Durations) {
  EXPECT_EQ(duration(0.46), "0.5s");
  EXPECT_EQ(duration(9.96), "10s");
  EXPECT_EQ(duration(59.6), "1m 00s");
  EXPECT_EQ(duration(185), "3m 05s");
  EXPECT_EQ(duration(7620), "2h 07m");
  EXPECT_EQ(duration(273600), "3d 04h");
  EXPECT_EQ(duration(-1), "n/a");
  EXPECT_EQ(duration(std::nan("")), "n/a");
}

TEST(Format, ResultsAreLines) {
  EXPECT_EQ(lines_of({{"exact_match", WeightedScalar{0.97312, 100}}, {"loss", 0.5}}),
            "exact_match: 0.9731\nloss: 0.5\n");
}

TEST(Progress, IsOneLine) {
  Progress progress{.step = 1200,
                    .max_step = 5000,
                    .loss = 0.43210,
                    .learning_rate = 3e-4,
                    .gradient_norm = 1.2341,
                    .seconds_per_step = 0.0051,
                    .items_per_second = 182300.4,
                    .items = "tokens",
                    .wait_fraction = 0.003};
  EXPECT_EQ(line_of(progress),
            "step 1,200/5,000 | loss 0.4321 | lr 0.0003 | grad norm 1.234 | 182,300 tokens/s | "
            "MFU n/a | 5.10 ms/step | data wait 0.3% | ETA 19s");
  progress.mfu = 0.412;
  progress.max_step.reset();
  EXPECT_THAT(line_of(progress), HasSubstr("MFU 41.2% |"));
  EXPECT_THAT(line_of(progress), HasSubstr("step 1,200 |"));
  EXPECT_THAT(line_of(progress), HasSubstr("ETA n/a"));
}

TEST(Progress, GoesToFilesAsMeasured) {
  std::vector<Entry> entries = entries_of(
      Progress{.seconds_per_step = 0.5, .items_per_second = 12, .items = "tokens", .mfu = 0.25});
  EXPECT_EQ(lines_of(entries),
            "perf/seconds_per_step: 0.5\nperf/tokens_per_second: 12\nperf/mfu: 0.25\n");
}

TEST(ProgressBar, FillsTheRoomThereIs) {
  EXPECT_EQ(progress_bar(55, 100, "9.0s", 60),
            "[===============>             ] 55%  step 55/100  ETA 9.0s");
  EXPECT_THAT(progress_bar(100, 100, "0.0s", 60), HasSubstr("==] 100%"));
  EXPECT_EQ(progress_bar(55, 100, "9.0s", 20), "55%  step 55/100  E");
  for (int width = 1; width < 120; ++width)
    EXPECT_LT(progress_bar(55, 100, "9.0s", width).size(), static_cast<std::size_t>(width));
}

TEST(Console, WithoutATerminalThereAreOnlyLines) {
  std::vector<std::string> lines;
  std::string terminal;
  ScopedLogHandler handler([&](Severity, std::string_view text) { lines.emplace_back(text); });
  ConsoleSink console(
      {.max_step = 10, .width = {}, .out = [&](std::string_view text) { terminal += text; }});
  console.write({.step = 1, .wall_seconds = 5});
  console.report({.step = 1, .max_step = 10});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("step 1/10 | "));
  EXPECT_EQ(terminal, "");
}

TEST(Console, OnATerminalMessagesStandAboveTheBar) {
  std::string terminal;
  {
    ConsoleSink console(
        {.max_step = 10, .width = 60, .out = [&](std::string_view text) { terminal += text; }});
    console.write({.step = 5, .wall_seconds = 5});
    const std::string bar = progress_bar(5, 10, "n/a", 60);
    EXPECT_EQ(terminal, "\r\x1b[K" + bar);
    console.write({.step = 6, .wall_seconds = 5.01});
    EXPECT_EQ(terminal, "\r\x1b[K" + bar) << "too early for another one";
    terminal.clear();
    log_warning("something");
    EXPECT_EQ(terminal, "\r\x1b[Kwarning: something\n" + bar);
    terminal.clear();
  }
  EXPECT_EQ(terminal, "\r\x1b[K");
}

TEST(Histogram, CountsEveryValueOnce) {
  Histogram h = histogram(HostTensor::from<float>({-2, 0, 0, 1e-3f, 2, 1e25f, INFINITY, NAN}, {8}));
  EXPECT_EQ(h.num, 6);
  EXPECT_EQ(h.num_nonfinite, 2);
  EXPECT_EQ(h.min, -2);
  EXPECT_EQ(h.max, 1e25f);
  EXPECT_EQ(std::accumulate(h.counts.begin(), h.counts.end(), 0.0), 6);
  EXPECT_EQ(h.limits.size(), h.counts.size());
  EXPECT_EQ(h.limits.back(), std::numeric_limits<double>::max());
  EXPECT_TRUE(std::ranges::is_sorted(h.limits));
}

TEST(Histogram, LimitsEncloseTheirValues) {
  Histogram h = histogram(HostTensor::from<double>({3.0, 3.0, -5.0}, {3}));
  for (auto [value, count] : {std::pair{3.0, 2.0}, {-5.0, 1.0}}) {
    auto above = std::ranges::upper_bound(h.limits, value) - h.limits.begin();
    EXPECT_EQ(h.counts[static_cast<std::size_t>(above)], count);
    const double below = h.limits[static_cast<std::size_t>(above) - 1];
    EXPECT_LT(std::abs(h.limits[static_cast<std::size_t>(above)] - below), 0.11 * std::abs(value));
  }
}

TEST(Histogram, OfNothingIsValid) {
  Histogram h = histogram(HostTensor(ArrayType{f32, {0}}));
  EXPECT_EQ(h.num, 0);
  EXPECT_THAT(h.counts, ElementsAre(0));
  EXPECT_EQ(h.min, 0);
}

TEST(Outputs, AreNumbersAndHistograms) {
  Tree<HostTensor> outputs;
  outputs["loss"] = HostTensor::scalar(0.5f);
  outputs["grads/w"] = HostTensor::from<float>({1, 2, 3}, {3});
  std::vector<Entry> entries = entries_of(outputs);
  EXPECT_EQ(lines_of(entries), "grads/w: values of f32[3]\nloss: 0.5\n");
  outputs["count"] = HostTensor::scalar(std::int32_t{3});
  EXPECT_THAT([&] { entries_of(outputs); },
              ThrowsMessage<Error>(HasSubstr("'count' has unsupported type s32[]")));
}

// Expected texts come from Python 3.11.
TEST(Outputs, PrintAsSeqax) {
  Record record{.step = 7,
                .wall_seconds = 1767323045.9,
                .entries = {{"loss", double{0.1f}},
                            {"a/b", 100000.0},
                            {"c", 1e-5},
                            {"d", 1e16},
                            {"e", std::nan("")},
                            {"f", -0.0001},
                            {"h", Text{""}}}};
  EXPECT_EQ(seqax_line(record),
            "[2026-01-02 03:04:05] Step 7: {'.loss': 0.10000000149011612, '.a.b': 100000.0, "
            "'.c': 1e-05, '.d': 1e+16, '.e': nan, '.f': -0.0001}");
}

TEST(Text, CodeIsIndented) {
  EXPECT_EQ(markdown_code("a = 1\n\nb = 2"), "    a = 1\n    \n    b = 2\n");
}

}  // namespace
}  // namespace meshwright::metrics
