// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"

namespace meshwright::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Parsed {
  bool json = false;
  std::string plugin = "default";
  std::int64_t devices = 8;
  std::string shell;
  Args rest;
  bool go_on = false;
};

Parsed parse(const Args& args) {
  Parsed result;
  ArgumentParser parser("train");
  parser.description("Trains.");
  parser.flag("--json", result.json, "machine-readable output");
  parser.option("--plugin", result.plugin, {"PATH"}, "the plugin to load");
  parser.option("--devices", result.devices, {"N"}, "virtual devices");
  parser.positionals(result.rest, {"CONFIG"}, "what to train");
  parser.option("--shell", result.shell, one_of({"bash", "zsh"}), "the shell");
  result.go_on = parser.parse(args);
  return result;
}

std::string parse_error(const Args& args) {
  try {
    parse(args);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.message();
  }
  return "did not throw";
}

TEST(ArgumentParser, LeavesDefaultsWhenNothingIsGiven) {
  const Parsed parsed = parse({});
  EXPECT_TRUE(parsed.go_on);
  EXPECT_FALSE(parsed.json);
  EXPECT_EQ(parsed.plugin, "default");
  EXPECT_EQ(parsed.devices, 8);
  EXPECT_THAT(parsed.rest, ElementsAre());
}

TEST(ArgumentParser, ReadsOptionsBetweenOtherWords) {
  const Parsed parsed = parse({"a.toml", "--plugin", "x.so", "lr=1", "--json", "--devices=-4"});
  EXPECT_TRUE(parsed.json);
  EXPECT_EQ(parsed.plugin, "x.so");
  EXPECT_EQ(parsed.devices, -4);
  EXPECT_THAT(parsed.rest, ElementsAre("a.toml", "lr=1"));
}

TEST(ArgumentParser, KeepsEqualsSignsAndEmptyValues) {
  EXPECT_EQ(parse({"--plugin=a=b"}).plugin, "a=b");
  EXPECT_EQ(parse({"--plugin="}).plugin, "");
}

TEST(ArgumentParser, TakesAllAfterTwoDashesAsGiven) {
  EXPECT_THAT(parse({"--", "--json", "--help", "--"}).rest, ElementsAre("--json", "--help", "--"));
}

TEST(ArgumentParser, TakesASingleDashAsAWord) {
  EXPECT_THAT(parse({"-"}).rest, ElementsAre("-"));
}

TEST(ArgumentParser, NamesTheNearestOption) {
  EXPECT_EQ(parse_error({"--plugni", "x"}),
            "train: unknown option '--plugni'\ndid you mean --plugin?");
  EXPECT_THAT(parse_error({"--nothing-like-it=3"}), HasSubstr("see: meshwright train --help"));
}

TEST(ArgumentParser, RejectsValuesThatDoNotFit) {
  EXPECT_EQ(parse_error({"--devices", "8x"}), "--devices: '8x' is not a whole number");
  EXPECT_EQ(parse_error({"--devices="}), "--devices: '' is not a whole number");
  EXPECT_EQ(parse_error({"--devices", "99999999999999999999"}),
            "--devices: '99999999999999999999' is not a whole number");
  EXPECT_EQ(parse_error({"--json=yes"}), "train: --json takes no value");
  EXPECT_EQ(parse_error({"--plugin"}), "train: --plugin needs a value: --plugin PATH");
}

TEST(ArgumentParser, RejectsWordsThatNobodyTakes) {
  ArgumentParser parser("doctor");
  parser.description("Looks around.");
  EXPECT_THROW(parser.parse({"word"}), Error);
}

TEST(ArgumentParser, RejectsValuesOutsideTheChoices) {
  EXPECT_EQ(parse({"--shell", "zsh"}).shell, "zsh");
  EXPECT_EQ(parse_error({"--shell=csh"}), "--shell: 'csh' is not one of bash, zsh");
}

TEST(ArgumentParser, PrintsHelpAndStops) {
  testing::internal::CaptureStdout();
  EXPECT_FALSE(parse({"--json", "--help"}).go_on);
  const std::string help = testing::internal::GetCapturedStdout();
  EXPECT_THAT(help, HasSubstr("usage: meshwright train [OPTION...] CONFIG\n"));
  EXPECT_THAT(help, HasSubstr("--plugin PATH"));
  EXPECT_THAT(help, HasSubstr("the plugin to load"));
  EXPECT_THAT(help, HasSubstr("--shell bash|zsh"));
}

struct Sampling {
  std::optional<std::int64_t> top_k;
  std::optional<double> temperature;
  Args prompts;
};

Sampling parse_sampling(const Args& args) {
  Sampling out;
  ArgumentParser parser("generate");
  parser.description("Generates.");
  parser.option("--top-k", out.top_k, {"K"}, "most likely tokens");
  parser.option("--temperature", out.temperature, {"T"}, "of the logits");
  parser.option("--prompt", out.prompts, {"TEXT"}, "several");
  parser.parse(args);
  return out;
}

TEST(ArgumentParser, LeavesOptionsAbsentOrCollectsThem) {
  Sampling none = parse_sampling({});
  EXPECT_FALSE(none.top_k || none.temperature);
  Sampling all =
      parse_sampling({"--prompt", "a b", "--top-k", "3", "--temperature=0.5", "--prompt="});
  EXPECT_EQ(all.top_k, 3);
  EXPECT_EQ(all.temperature, 0.5);
  EXPECT_THAT(all.prompts, ElementsAre("a b", ""));
}

TEST(ArgumentParser, RefusesWhatIsNoNumber) {
  for (const char* word : {"--temperature=0.5x", "--temperature=", "--top-k=1.5"})
    EXPECT_THROW(parse_sampling({word}), Error) << word;
}

}  // namespace
}  // namespace meshwright::cli
