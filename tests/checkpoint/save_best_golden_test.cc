// SPDX-License-Identifier: Apache-2.0
// Keeps the checkpoints that T5X's SaveBestCheckpointer keeps, by metrics in the same event files.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/base/json_value.h"
#include "meshwright/base/str.h"
#include "meshwright/checkpoint/retention/retention.h"
#include "meshwright/io/file_system.h"

namespace meshwright::checkpoint {
namespace {

constexpr std::int64_t kStepAfterAll = 1000;  // an evaluation of a step that is not there

std::vector<std::int64_t> integers(const JsonValue& list) {
  std::vector<std::int64_t> out;
  for (const JsonValue& item : list.as_array())
    out.push_back(item.as_integer());
  return out;
}

std::vector<CheckpointFacts> facts(const JsonValue& a_case, const io::FileSystem& files) {
  const std::string run = a_case.at("run").as_text();
  metrics::EventFiles events(io::open_file_system(files.full_name("events")), run,
                             a_case.at("tag").as_text());
  const std::map<std::int64_t, double>& values = events.update();
  EXPECT_TRUE(values.contains(kStepAfterAll)) << run;
  std::vector<CheckpointFacts> out;
  for (const std::int64_t step : integers(a_case.at("steps"))) {
    out.push_back({.step = step});
    if (const auto found = values.find(step); found != values.end())
      out.back().metric = found->second;
  }
  return out;
}

Retention rules(const JsonValue& a_case) {
  Retention out{.keep_last_n = 1, .keep_best = KeepBest{}};
  out.keep_best->n = a_case.at("keep").as_integer();
  out.keep_best->mode = a_case.at("mode").as_text() == "max" ? Better::max : Better::min;
  out.keep_best->keep_without_metric = a_case.at("keep_without_metric").as_bool();
  if (const std::int64_t n = a_case.at("multiples_of").as_integer(); n > 0)
    out.keep_multiples_of = n;
  return out;
}

TEST(SaveBest, RemovesWhatT5xRemoves) {
  const auto files = io::open_file_system(GOLDEN_FOLDER);
  const JsonValue cases = parse_json(io::read_text(*files, "cases.json", 1 << 20), "cases.json");
  EXPECT_GT(cases.as_array().size(), 20U);
  for (const JsonValue& a_case : cases.as_array()) {
    EXPECT_EQ(steps_to_remove(facts(a_case, *files), rules(a_case)), integers(a_case.at("removed")))
        << a_case.at("run").as_text();
  }
}

}  // namespace
}  // namespace meshwright::checkpoint
