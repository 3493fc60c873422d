// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meshwright::config {
namespace {

enum class Mode { max, min };
inline Choices<Mode> config_choices(Mode) {
  return {{"max", Mode::max}, {"min", Mode::min}};
}

struct Adamw {
  static constexpr char kType[] = "adamw";
  double learning_rate;
  double b1 = 0.9;
  std::optional<double> clip_norm;

  void fields(auto& f) {
    f.required("learning_rate", learning_rate, kPositive, "peak learning rate");
    f.optional("b1", b1, kFraction, "decay of the first moment");
    f.optional("clip_norm", clip_norm, kPositive, "global gradient norm");
  }
};

struct Sgd {
  static constexpr char kType[] = "sgd";
  float momentum = 0.9f;
  void fields(auto& f) { f.optional("momentum", momentum, "of the moving average"); }
};

struct Eval {
  std::string name;
  int every = 100;
  Mode mode = Mode::max;
  void fields(auto& f) {
    f.required("name", name, kNonEmpty, "its name");
    f.optional("every", every, kPositive, "how often").unit("steps");
    f.optional("mode", mode, "which is better");
  }
};

struct Job {
  std::string dir = "runs/default";
  std::int64_t max_step;
  std::variant<Adamw, Sgd> optimizer = Sgd();
  std::map<std::string, OneOrMore<std::string>> rules;
  std::vector<Eval> evals = {{.name = "first"}};
  OrAuto<int> data_axis;
  void fields(auto& f) {
    f.optional("dir", dir, "the job's folder");
    f.required("max_step", max_step, kPositive, "number of steps");
    f.optional("optimizer", optimizer, "how parameters change");
    f.optional("rules", rules, "mesh axes by axis");
    f.optional("evals", evals, "evaluations");
    f.optional("data_axis", data_axis, kPositive, "size of the mesh axis");
  }
};

TEST(Config, ReadsAndWritesBack) {
  const Job job = from_toml<Job>(R"(
max_step = 1e3
data_axis = 4
evals = [{ name = "a", mode = "min" }, { name = "b" }]
[optimizer]
type = "adamw"
learning_rate = 1
[rules]
embed = "fsdp"
batch = ["data", "fsdp"]
)");
  EXPECT_EQ(to_toml(job), R"(dir = "runs/default"
max_step = 1000
data_axis = 4

[optimizer]
type = "adamw"
learning_rate = 1.0
b1 = 0.9
clip_norm = "none"

[rules]
batch = ["data", "fsdp"]
embed = "fsdp"

[[evals]]
name = "a"
every = 100
mode = "min"

[[evals]]
name = "b"
every = 100
mode = "max"
)");
  EXPECT_EQ(to_toml(from_toml<Job>(to_toml(job))), to_toml(job));
}

std::string error_of(const std::string& text) {
  try {
    from_toml<Job>(text, "a.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.message();
  }
  return "no error";
}

TEST(Config, TellsAllMistakesAtOnce) {
  EXPECT_EQ(error_of(R"(max_step = 1.5
data_axis = "automatic"
seed = 1
[optimizer]
type = "adamw"
learnin_rate = 3e-4
b1 = 1.5
[[evals]]
mode = "mix"
)"),
            R"(7 errors in the config
a.toml:1:12: max_step is 1.5, but must be a whole number
  1 | max_step = 1.5
    |            ^
a.toml:2:13: data_axis is "automatic", but must be a whole number or "auto"
  2 | data_axis = "automatic"
    |             ^
a.toml:3:1: unknown key 'seed'; there are 'dir', 'max_step', 'optimizer', 'rules', 'evals', 'data_axis'
  3 | seed = 1
    | ^
a.toml:6:1: unknown key 'learnin_rate' in optimizer; did you mean 'learning_rate'?
  6 | learnin_rate = 3e-4
    | ^
a.toml:7:6: optimizer.b1 is 1.5, but must be at least 0 and at most 1
  7 | b1 = 1.5
    |      ^
a.toml:8:1: evals.0.name is missing: its name (a string)
  8 | [[evals]]
    | ^
a.toml:9:8: evals.0.mode is "mix", but must be "max" or "min"; did you mean 'max'?
  9 | mode = "mix"
    |        ^)");
}

}  // namespace
}  // namespace meshwright::config
