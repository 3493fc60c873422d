// SPDX-License-Identifier: Apache-2.0
#include "agenda_events.h"
#include "key_case.h"
#include "runs.h"
#include "small_configs.h"

namespace meshwright::config_keys {
namespace {

const std::string kEachStep = "checkpoint.when={ type = \"every_n\", n = 1 }";

SectionCases checkpoint() {
  const std::vector<std::string> one = {"checkpoint.keep_last_n=1"};
  return {"checkpoint",
          kLm,
          {"max_step=4", kEachStep, "evaluators.name.when=[]"},
          files,
          {{"when", "{ type = 'every_n', n = 7 }", {"max_step=40"}, events},
           {"format", "axlearn"},
           {"keep_last_n", "2"},
           {"keep_every_n_steps", "2", one},
           observed_by("keep_every_seconds", "Retention.KeepsOneWheneverSoMuchTimeHasPassed"),
           {"keep_multiples_of", "2", one},
           {"keep_best",
            // At least one of the best two is not the last.
            "{ evaluator = 'name', metric = 'loss', n = 2 }",
            {one[0], "evaluators.name.when={ type = \"every_n\", n = 1 }"}},
           observed_by("snapshot", "SavingDevice.StagingMemoryDoesNotGrow"),
           observed_by("staging_bytes", "SavingDevice.StagingMemoryDoesNotGrow"),
           observed_by("when_busy", "Saving.LeavesOutWhatIsDueMeanwhileIfToldSo"),
           {"replica_parallel", "true", {"mesh.num_devices=2", "mesh.axes={ data = 2 }"}},
           {"threads", "1", {}, savers},
           observed_by("max_failed_saves", "Saving.EndsTheRunAfterSeveralFailures"),
           observed_by("params_dtype", "Saving.RoundsOnlyParametersIfToldSo"),
           {"restore_step", "2", {}, resumption},
           observed_by("restore_match", "ArraysToRestore.TellAllThatDiffersAndWhatWouldMakeItDo"),
           observed_by("restore_missing", "ArraysToRestore.TellAllThatDiffersAndWhatWouldMakeItDo"),
           observed_by("restore_bytes",
                       "train_test.py: "
                       "test_a_restore_takes_the_memory_of_the_state_and_of_what_is_being_read")}};
}

}  // namespace

Cases checkpoint_cases() {
  return {checkpoint(),
          {"checkpoint.keep_best",
           kLm,
           {"max_step=4", kEachStep, "checkpoint.keep_last_n=1",
            "checkpoint.keep_best={ evaluator = \"name\", metric = \"loss\", n = 2 }",
            "evaluators.name.when={ type = \"every_n\", n = 1 }"},
           outcome,
           {{"evaluator", "other"},
            {"metric", "accuracy"},
            {"mode", "min"},
            {"n", "4"},
            observed_by("event_files", "RetentionOfRuns.TheBestByEventFilesStays"),
            observed_by("keep_without_metric", "Retention.MayKeepThoseWithoutAMetric")}}};
}

}  // namespace meshwright::config_keys
