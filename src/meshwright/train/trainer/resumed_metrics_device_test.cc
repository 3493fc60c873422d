// SPDX-License-Identifier: Apache-2.0
// The metrics in a run's files after it was resumed.
#include <algorithm>
#include <cstring>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/json_value.h"
#include "meshwright/base/log_testutil.h"
#include "meshwright/metrics/event_proto.h"
#include "meshwright/metrics/metrics_testutil.h"
#include "meshwright/train/trainer/run.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class ResumedMetrics : public testing::Test {
 protected:
  void train_to(std::int64_t max_step) {
    Job job = line_job(folder_.path());
    job.config.max_step = max_step;
    job.config.sinks.push_back(WandbSinkConfig());
    job.resolved_config = str("max_step = ", max_step, "\n");
    run(job, caching_client());
  }

  // Returns the steps of the valid records with this metric, by the rules of docs/metrics.md.
  std::vector<std::int64_t> steps_with(const std::string& metric) const {
    std::vector<std::int64_t> out;
    std::ifstream file(folder_.path() / "metrics.jsonl");
    for (std::string line; std::getline(file, line);) {
      const JsonValue record = parse_json(line, "metrics.jsonl");
      if (const JsonValue* first = record.find("first_step")) {
        std::erase_if(out, [&](std::int64_t step) { return step >= first->as_integer(); });
      } else if (record.at("metrics").find(metric) != nullptr) {
        out.push_back(record.at("step").as_integer());
      }
    }
    return out;
  }

  // True if the newest event file makes TensorBoard discard `step` and all later ones.
  bool forgets_from(const std::string& summaries, std::int64_t step) const {
    const fs::path root = folder_.path() / "summaries" / summaries;
    const std::string text = file_text(root / metrics::file_names(root).back());
    double wall_seconds = 0;  // the first field, after its tag and an event's 12 bytes of framing
    std::memcpy(&wall_seconds, text.data() + 12 + 1, sizeof(wall_seconds));
    const std::string start = metrics::framed(metrics::session_start_event(wall_seconds, step));
    return text.find(start) != std::string::npos;
  }

  // Returns the steps of the W&B rows, of all processes in order.
  std::vector<std::string> wandb_steps() const {
    constexpr int kHistory = 2;  // a field of a record
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "wandb"))
      if (entry.is_regular_file()) files.push_back(entry.path());
    std::ranges::sort(files);
    std::vector<std::string> out;
    for (const fs::path& file : files) {
      for (const std::string& record : metrics::wandb_records(file_text(file))) {
        const std::string history = metrics::proto_field(record, kHistory);
        if (!history.empty()) out.push_back(metrics::wandb_items(history).at("_step"));
      }
    }
    return out;
  }

  io::TemporaryFolder folder_;
  CapturedLog log_;
};

TEST_F(ResumedMetrics, ThoseOfTheRestoredStepSurvive) {
  train_to(4);
  EXPECT_TRUE(forgets_from("train_train", 0));
  train_to(8);
  EXPECT_THAT(steps_with("loss"), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(steps_with("held_out/loss"), ElementsAre(4, 8));
  EXPECT_TRUE(forgets_from("train_train", 5));
  EXPECT_TRUE(forgets_from("held_out", 5));
}

TEST_F(ResumedMetrics, ARunThatIsDoneLosesNoneByAnotherStart) {
  train_to(4);
  train_to(4);
  EXPECT_THAT(steps_with("loss"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(steps_with("held_out/loss"), ElementsAre(4));
  EXPECT_TRUE(forgets_from("train_train", 5));
  EXPECT_TRUE(forgets_from("held_out", 5));
}

TEST_F(ResumedMetrics, OfStepsThatARunWentBackFromAreVoid) {
  Job job = line_job(folder_.path(), /*broken=*/{5});
  job.config.step.non_finite.action = OnNonFinite::rewind;
  run(job, caching_client());
  EXPECT_THAT(log_.text(), testing::HasSubstr("went back to step 4"));
  EXPECT_THAT(steps_with("loss"), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(steps_with("held_out/loss"), ElementsAre(4, 8));
  EXPECT_TRUE(forgets_from("train_train", 5));
}

TEST_F(ResumedMetrics, RowsForWandbHaveEachStepOnce) {
  train_to(3);
  train_to(3);
  train_to(5);
  EXPECT_THAT(wandb_steps(), ElementsAre("0", "1", "2", "3", "4", "5"));
}

}  // namespace
}  // namespace meshwright::train
