// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/schedules/schedule_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/config/config.h"
#include "meshwright/graph/core/graph_testutil.h"

namespace meshwright::optim {
namespace {

using ::testing::HasSubstr;

struct Holder {
  ScheduleConfig learning_rate;
  void fields(auto& f) { f.required("learning_rate", learning_rate, "for tests"); }
};

const RunLength kRun{
    .total_steps = 1000, .batch_examples = 64, .epoch_examples = [] { return 6400; }};

ScheduleConfig read(const std::string& value) {
  return config::from_toml<Holder>("learning_rate = " + value).learning_rate;
}

// The StableHLO of the schedule.
std::string text_of(const Schedule& schedule) {
  return graph::text_of({{f32, {}}}, [&](std::span<const Value> args) {
    return std::vector<Value>{schedule(args[0])};
  });
}

TEST(ScheduleConfig, TakesANumber) {
  EXPECT_EQ(text_of(make_schedule(read("3e-4"), kRun)), text_of(constant(3e-4)));
}

TEST(ScheduleConfig, ConvertsDurationsToStepsOfTheRun) {
  ScheduleConfig schedule =
      read("{ type = 'warmup_cosine', peak = 0.1, warmup = '10%', alpha = 0.5 }");
  EXPECT_EQ(text_of(make_schedule(schedule, kRun)),
            text_of(warmup_cosine({.peak = 0.1, .end = 1000, .warmup = 100}, 0.5)));
  schedule = read("{ type = 'warmup_linear', peak = 0.1, warmup = '1 epoch', end = 300 }");
  EXPECT_EQ(text_of(make_schedule(schedule, kRun)),
            text_of(warmup_linear({.peak = 0.1, .end = 300, .warmup = 100})));
}

TEST(ScheduleConfig, IsNotMadeForARunOfUnknownLength) {
  const Schedule schedule = make_schedule(
      read("{ type = 'warmup_linear', peak = 0.1, warmup = '1 epoch' }"), {.is_known = false});
  EXPECT_THAT(message_of([&] { text_of(schedule); }),
              HasSubstr("the length of the run is unknown"));
}

TEST(ScheduleConfig, AsksForTheSizeOfAnEpochOnlyToConvertEpochs) {
  int num_calls = 0;
  RunLength run = kRun;
  run.epoch_examples = [&] { return ++num_calls, 6400; };
  make_schedule(read("{ type = 'warmup_linear', peak = 0.1, warmup = '10%' }"), run);
  EXPECT_EQ(num_calls, 0);
  make_schedule(read("{ type = 'warmup_linear', peak = 0.1, warmup = '1 epoch' }"), run);
  EXPECT_EQ(num_calls, 1);
}

TEST(ScheduleConfig, ReadsEveryType) {
  const std::vector<std::pair<std::string, Schedule>> cases = {
      {"{ type = 'polynomial', begin_value = 1, end_value = 0.5, end = 10 }",
       polynomial({.begin_value = 1, .end = 10, .end_value = 0.5})},
      {"{ type = 'exponential', begin_value = 1, end_value = 0.5 }",
       exponential({.begin_value = 1, .end = 1000, .end_value = 0.5})},
      {"{ type = 'warmup_constant', peak = 1, warmup = 5 }",
       warmup_constant({.peak = 1, .warmup = 5})},
      {"{ type = 'warmup_stable_decay', peak = 1, warmup = 5, decay_begin = '90%' }",
       warmup_stable_decay({.peak = 1, .end = 1000, .warmup = 5}, 900)},
      {"{ type = 'seqax', peak = 1, warmup = 5 }",
       warmup_cosine_cyclic({.peak = 1, .end = 1000, .warmup = 5}, 0.1)},
      {"{ type = 'inverse_sqrt', scale = 2, warmup = 7 }", scaled(inverse_sqrt(7), 2)},
      {"{ type = 'adafactor', warmup = 7 }", adafactor_schedule({.warmup = 7})},
      {"{ type = 't5x', factors = 'constant' }", t5x_schedule({.factors = "constant"})},
      {"{ type = 'big_vision', decay_type = 'cosine', warmup = '1%', scale_with_batchsize = true }",
       big_vision_schedule(
           {.decay_type = BigVisionDecay::cosine, .warmup = 10, .scale_with_batchsize = true},
           {.total_steps = 1000, .batch_examples = 64})},
      {"{ type = 'stepwise', schedules = [0.5, { type = 'inverse_sqrt' }], starts = [3] }",
       stepwise({constant(0.5), scaled(inverse_sqrt(1), 1)}, {3})},
  };
  for (const auto& [text, schedule] : cases)
    EXPECT_EQ(text_of(make_schedule(read(text), kRun)), text_of(schedule)) << text;
}

TEST(ScheduleConfig, SaysWhatIsWrong) {
  EXPECT_THAT(message_of([] { read("{ type = 'warmup_cosin', peak = 1 }"); }),
              HasSubstr("warmup_cosine"));
  EXPECT_THAT(message_of([] { read("{ type = 'warmup_cosine', peak = 1, warmup = '3 weeks' }"); }),
              HasSubstr("3 weeks"));
  ScheduleConfig endless = read("{ type = 'warmup_cosine', peak = 1 }");
  EXPECT_THAT(message_of([&] { make_schedule(endless, {}); }),
              HasSubstr("the run has no number of steps"));
}

}  // namespace
}  // namespace meshwright::optim
