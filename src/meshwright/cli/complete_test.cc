// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/complete.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/cli/commands.h"
#include "meshwright/cli/completion_script.h"

namespace meshwright::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using Paths = Completion::Paths;

std::vector<std::string> candidates(const Args& words) {
  std::vector<std::string> out;
  for (const Completion::Candidate& candidate : complete(commands(), words).candidates)
    out.push_back(candidate.text);
  return out;
}

Paths paths(const Args& words) {
  return complete(commands(), words).paths;
}

TEST(Complete, OffersEveryCommandWithItsSummary) {
  const Completion all = complete(commands(), {""});
  ASSERT_EQ(all.candidates.size(), commands().commands.size());
  EXPECT_EQ(all.candidates[0].text, "ckpt");
  EXPECT_EQ(all.candidates[0].help, commands().commands[0].summary);
  EXPECT_THAT(candidates({"tr"}), ElementsAre("train"));
  EXPECT_THAT(candidates({"--"}), ElementsAre("--help", "--version"));
  EXPECT_THAT(candidates({"help", "tr"}), ElementsAre("train"));
}

TEST(Complete, OffersTheCommandsOfAGroup) {
  EXPECT_THAT(candidates({"ckpt", "p"}), ElementsAre("pin"));
  EXPECT_THAT(candidates({"ckpt", "-"}), ElementsAre("--help"));
  EXPECT_THAT(candidates({"man", "ckpt", "sh"}), ElementsAre("show"));
  EXPECT_THAT(candidates({"no_such_command", ""}), IsEmpty());
}

TEST(Complete, OffersEveryOptionOfEveryCommand) {
  for (const Command& command : commands().commands) {
    if (command.group != nullptr) continue;
    const std::string name(command.name);
    const CommandBody body = command.body(name);
    const std::vector<std::string> offered = candidates({name, "-"});
    for (const Option& option : body.arguments().options)
      EXPECT_THAT(offered, Contains(option.name)) << name;
    EXPECT_THAT(offered, Contains("--help")) << name;
  }
}

TEST(Complete, OffersTheValuesOfAnOption) {
  EXPECT_THAT(candidates({"doctor", "--platform", ""}), ElementsAre("cpu", "cuda", "tpu"));
  EXPECT_THAT(candidates({"doctor", "--platform=c"}),
              ElementsAre("--platform=cpu", "--platform=cuda"));
  EXPECT_THAT(candidates({"doctor", "--devices", ""}), IsEmpty());
  EXPECT_EQ(paths({"doctor", "--plugin", ""}), Paths::files);
  EXPECT_EQ(paths({"doctor", "--devices", ""}), Paths::none);
  EXPECT_EQ(candidates({"completion", ""}), completion_shells());
}

TEST(Complete, OffersFoldersForCheckpoints) {
  EXPECT_EQ(paths({"ckpt", "show", ""}), Paths::folders);
  EXPECT_EQ(paths({"ckpt", "show", "--only", ""}), Paths::none);
}

TEST(Complete, OffersConfigsAndThenKeys) {
  EXPECT_THAT(candidates({"train", "shapes"}), ElementsAre("shapes_vit"));
  EXPECT_EQ(paths({"train", "shapes"}), Paths::toml_files);
  EXPECT_THAT(candidates({"train", ""}), Contains("arithmetic_lm"));
  EXPECT_THAT(candidates({"train", ""}), Not(Contains("max_step=")));
  EXPECT_THAT(candidates({"train", "shapes_vit", ""}), Contains("max_step="));
  EXPECT_THAT(candidates({"train", "shapes_vit", ""}), Not(Contains("arithmetic_lm")));
  EXPECT_EQ(paths({"train", "shapes_vit", ""}), Paths::none);
  EXPECT_THAT(candidates({"train", "--dry-run", "max_s"}), ElementsAre("max_step="));
  EXPECT_THAT(candidates({"config", "diff", "shapes_vit", "arith"}), ElementsAre("arithmetic_lm"));
}

TEST(Complete, OffersKeysAndValuesThatFitTheConfig) {
  EXPECT_THAT(candidates({"train", "shapes_vit", "task.type="}),
              ElementsAre("task.type=lm", "task.type=image_classification", "task.type=seq2seq"));
  EXPECT_THAT(candidates({"train", "shapes_vit", "mesh.platform="}),
              ElementsAre("mesh.platform=cpu", "mesh.platform=cuda", "mesh.platform=tpu"));
  EXPECT_THAT(candidates({"train", "shapes_vit", "data."}), Not(Contains("data.num_digits=")));
  EXPECT_THAT(candidates({"train", "arithmetic_lm", "data."}), Contains("data.num_digits="));
  EXPECT_THAT(candidates({"train", "arithmetic_lm", "kernels=a"}), ElementsAre("kernels=auto"));
}

TEST(Complete, OffersKeysThatFitTheConfigOfARun) {
  const std::filesystem::path run = std::filesystem::path(testing::TempDir()) / "completed_run";
  std::filesystem::create_directories(run);
  std::ofstream(run / "config.toml") << "[data]\ntype = \"arithmetic\"\n";
  EXPECT_THAT(candidates({"config", "show", run.string(), "data.num_d"}),
              ElementsAre("data.num_digits="));
  EXPECT_THAT(candidates({"config", "diff", "shapes_vit", run.string(), "data.num_d"}),
              ElementsAre("data.num_digits="));
  EXPECT_THAT(candidates({"config", "explain", "seed", run.string(), "data.num_d"}),
              ElementsAre("data.num_digits="));
  std::filesystem::remove_all(run);
}

TEST(Complete, OffersKeysEvenIfTheConfigCannotBeRead) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "broken.toml";
  std::ofstream(file) << "max_step = \n";
  EXPECT_THAT(candidates({"train", file.string(), "max_s"}), ElementsAre("max_step="));
  std::ofstream(file) << "no_such_key = 1\n[data]\ntype = \"arithmetic\"\n";
  EXPECT_THAT(candidates({"train", file.string(), "data.num_d"}), ElementsAre("data.num_digits="));
  std::filesystem::remove(file);
}

TEST(Complete, OffersKeysToExplain) {
  EXPECT_THAT(candidates({"config", "explain", "max_s"}), ElementsAre("max_step"));
  EXPECT_THAT(candidates({"config", "explain", "max_step", "shapes"}), ElementsAre("shapes_vit"));
}

TEST(Complete, KnowsThatTwoDashesEndOptions) {
  EXPECT_THAT(candidates({"train", "--", "--dry"}), IsEmpty());
  EXPECT_THAT(candidates({"train", "--plugin", "--json", "--dry"}), ElementsAre("--dry-run"));
}

TEST(PrintCompletion, PrintsOneCandidateALine) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(print_completion(commands(), {"doctor", "--js"}), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "--json\tprint JSON\n");
  testing::internal::CaptureStdout();
  print_completion(commands(), {"ckpt", "ls", ""});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), ":folders\n");
}

TEST(CompletionScript, IsForTheNamedCommand) {
  for (const std::string& shell : completion_shells()) {
    const std::string script = completion_script(shell, "mesh-wright");
    EXPECT_THAT(script, testing::HasSubstr("mesh_wright")) << shell;
    EXPECT_THAT(script, testing::HasSubstr(kCompleteCommand)) << shell;
    for (const char* placeholder : {"@PROGRAM@", "@FUNCTION@", "@COMPLETE@"})
      EXPECT_THAT(script, Not(testing::HasSubstr(placeholder))) << shell;
  }
}

}  // namespace
}  // namespace meshwright::cli
