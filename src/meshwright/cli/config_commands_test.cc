// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/config_commands.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/config/config.h"

namespace meshwright::cli {
namespace {

using config::type_of;
using testing::HasSubstr;

struct Adam {
  static constexpr char kType[] = "adam";
  double b1 = 0.9;
  void fields(auto& f) { f.optional("b1", b1, config::kFraction, "decay of the first moment"); }
};

struct Momentum {
  static constexpr char kType[] = "momentum";
  double b1 = 0.5;
  void fields(auto& f) { f.optional("b1", b1, config::kFraction, "decay of the average"); }
};

struct Often {
  static constexpr char kType[] = "often";
  std::int64_t n = 3;
  void fields(auto& f) { f.optional("n", n, config::kPositive, "how often"); }
};

struct Rarely {
  static constexpr char kType[] = "rarely";
  double hours = 1;
  void fields(auto& f) { f.optional("hours", hours, config::kPositive, "how rarely"); }
};

struct Job {
  std::int64_t max_step;
  std::variant<Adam, Momentum> optimizer;
  void fields(auto& f) {
    f.required("max_step", max_step, config::kPositive, "where it ends").unit("steps");
    f.optional("optimizer", optimizer, "how parameters change");
  }
};

// Two types have the same b1, the third has another default.
struct Lion {
  static constexpr char kType[] = "lion";
  double b1 = 0.9;
  void fields(auto& f) { f.optional("b1", b1, config::kFraction, "decay of the first moment"); }
};

struct Lamb {
  static constexpr char kType[] = "lamb";
  double b1 = 0.8;
  void fields(auto& f) { f.optional("b1", b1, config::kFraction, "decay of the first moment"); }
};

struct Study {
  std::variant<Adam, Lamb, Lion> optimizer;
  void fields(auto& f) { f.optional("optimizer", optimizer, "how parameters change"); }
};

struct StoredRun {
  std::string dir = "runs/default";
  std::int64_t max_step = 1;
  void fields(auto& f) {
    f.optional("dir", dir, "its folder");
    f.optional("max_step", max_step, config::kPositive, "where it ends");
  }
};

struct Watch {
  config::OneOrMore<std::variant<Often, Rarely>> when;
  void fields(auto& f) { f.optional("when", when, "at which steps"); }
};

CommandBody explain(const std::string& name, const config::Type& type) {
  return explain_config(name, type, [](void*) -> std::string { return "nobody"; });
}

CommandBody explain_study(const std::string& name, const config::Type&) {
  return explain(name, type_of<Study>());
}

CommandBody explain_run(const std::string& name, const config::Type&) {
  return explain(name, type_of<StoredRun>());
}

CommandBody show_run(const std::string& name, const config::Type&) {
  return show_config(name, type_of<StoredRun>());
}

CommandBody diff_runs(const std::string& name, const config::Type&) {
  return diff_configs(name, type_of<StoredRun>());
}

CommandBody explain_watch(const std::string& name, const config::Type&) {
  return explain(name, type_of<Watch>());
}

class ConfigCommands : public testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::path(testing::TempDir()) /
             testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder);
    a = write("a.toml", "max_step = 5\n[optimizer]\ntype = \"adam\"\nb1 = 0.8\n");
    b = write("b.toml", "base = \"a.toml\"\n[optimizer]\ntype = \"momentum\"\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }

  /// Returns the exit code of a command, followed by its output.
  template <typename MakeCommand>
  static std::string output(MakeCommand command, const Args& args) {
    testing::internal::CaptureStdout();
    const int code = command("config test", type_of<Job>())(args);
    return str(code, "\n", testing::internal::GetCapturedStdout());
  }

  /// Returns a run folder that has moved since its config was stored.
  std::string moved_run(const std::string& name, int max_step) const {
    std::filesystem::create_directories(folder / name);
    write(name + "/config.toml", str("dir = \"runs/before\"\nmax_step = ", max_step, "\n"));
    return (folder / name).string();
  }

  std::filesystem::path folder;
  std::string a;
  std::string b;
};

TEST_F(ConfigCommands, ShowPrintsEveryKeyOfTheResolvedConfig) {
  EXPECT_EQ(output(show_config, {b, "max_step=7"}),
            "0\nmax_step = 7\n\n[optimizer]\ntype = \"momentum\"\nb1 = 0.5\n");
}

TEST_F(ConfigCommands, ShowSaysWhereValuesCameFrom) {
  EXPECT_EQ(output(show_config, {a, "--origins", "max_step=7"}),
            str("0\nmax_step = 7  # command line\n\n[optimizer]\ntype = \"adam\"  # ", a,
                ":3:8\nb1 = 0.8  # ", a, ":4:6\n"));
}

TEST_F(ConfigCommands, ShowTakesARunFolder) {
  const std::string run = moved_run("run", 5);
  EXPECT_EQ(
      output(show_run, {run + "/", "--origins"}),
      str("0\ndir = \"", run, "\"  # ", run, "\nmax_step = 5  # ", run, "/config.toml:2:12\n"));
  EXPECT_EQ(output(show_run, {run, "dir=elsewhere", "max_step=6"}),
            "0\ndir = \"elsewhere\"\nmax_step = 6\n");
}

TEST_F(ConfigCommands, DiffTakesRunFolders) {
  const std::string run = moved_run("run", 5);
  const std::string other = moved_run("other", 6);
  const std::string file = write("run.toml", str("dir = \"", run, "\"\nmax_step = 7\n"));
  EXPECT_EQ(output(diff_runs, {run, other}),
            str("1\ndir\n  - \"", run, "\"\n  + \"", other, "\"\nmax_step\n  - 5\n  + 6\n"));
  EXPECT_EQ(output(diff_runs, {file, run}), "1\nmax_step\n  - 7\n  + 5\n");
  EXPECT_EQ(output(diff_runs, {run, "max_step=8"}), "1\nmax_step\n  - 5\n  + 8\n");
}

TEST_F(ConfigCommands, ExplainTakesARunFolder) {
  const std::string run = moved_run("run", 5);
  EXPECT_THAT(output(explain_run, {"max_step", run}),
              HasSubstr(str("value    5   (", run, "/config.toml:2:12)\n")));
}

TEST_F(ConfigCommands, AFolderWithoutAConfigIsNoRun) {
  EXPECT_EQ(message_of([&] { show_run("config show", type_of<StoredRun>())({folder.string()}); }),
            str(folder.string(), " is not a run folder: it has no config.toml"));
}

TEST_F(ConfigCommands, DiffPrintsWhatDiffersAndExitsWithOne) {
  EXPECT_EQ(output(diff_configs, {a, b}),
            "1\noptimizer.type\n  - \"adam\"\n  + \"momentum\"\noptimizer.b1\n  - 0.8\n  + 0.5\n");
  EXPECT_EQ(output(diff_configs, {a, a}), "0\n");
  EXPECT_EQ(output(diff_configs, {a, "max_step=6"}), "1\nmax_step\n  - 5\n  + 6\n");
}

TEST_F(ConfigCommands, DiffOfOneConfigWithoutOverridesIsRefused) {
  EXPECT_THROW(output(diff_configs, {a}), Error);
  testing::internal::GetCapturedStdout();
}

TEST_F(ConfigCommands, ExplainTellsOfEveryAlternative) {
  EXPECT_EQ(output(explain, {"optimizer.b1"}),
            R"(0
optimizer.b1   with optimizer.type = "adam"
  meaning  decay of the first moment
  takes    a number, at least 0 and at most 1
  default  0.9
optimizer.b1   with optimizer.type = "momentum"
  meaning  decay of the average
  takes    a number, at least 0 and at most 1
  default  0.5
)");
}

TEST_F(ConfigCommands, ExplainNamesTheAlternativesThatShareADescription) {
  EXPECT_EQ(output(explain_study, {"optimizer.b1"}),
            R"(0
optimizer.b1   with optimizer.type = "adam" or "lion"
  meaning  decay of the first moment
  takes    a number, at least 0 and at most 1
  default  0.9
optimizer.b1   with optimizer.type = "lamb"
  meaning  decay of the first moment
  takes    a number, at least 0 and at most 1
  default  0.8
)");
}

TEST_F(ConfigCommands, ExplainWithAConfigSaysWhatHasSetIt) {
  EXPECT_EQ(output(explain, {"optimizer.b1", a}), str(R"(0
optimizer.b1   with optimizer.type = "adam"
  meaning  decay of the first moment
  takes    a number, at least 0 and at most 1
  default  0.9
  value    0.8   ()",
                                                      a, ":4:6)\n"));
  EXPECT_THAT(output(explain, {"max_step", b}), HasSubstr(str("value    5   (", a, ":1")));
  EXPECT_THAT(output(explain, {"optimizer.b1", b}), HasSubstr("0.5   (the default)"));
}

TEST_F(ConfigCommands, ExplainSaysWhatHoldsWhereSomebodyElseDecides) {
  auto settled = [](const std::string& name, const config::Type& type) {
    return explain_config(name, type, [](void* job) -> std::string {
      static_cast<Job*>(job)->max_step = 9;
      return "a preset";
    });
  };
  EXPECT_THAT(output(settled, {"max_step", a}), HasSubstr("  in force 9   (by a preset)\n"));
  EXPECT_THAT(output(settled, {"optimizer.b1", a}), testing::Not(HasSubstr("in force")));
}

TEST_F(ConfigCommands, ExplainOfATableListsItsKeys) {
  EXPECT_THAT(output(explain, {"optimizer"}),
              HasSubstr("  keys with type = \"momentum\"\n    b1  decay of the average\n"));
}

TEST_F(ConfigCommands, ExplainOfATableSaysWhatIsWrittenInIt) {
  EXPECT_EQ(output(explain, {"optimizer", a}), str(R"(0
optimizer
  meaning  how parameters change
  takes    a table with type = "adam" or "momentum"
  value    { type = "adam", b1 = 0.8 }   ()",
                                                   a, R"(:2:1)
  keys with type = "adam"
    b1  decay of the first moment
)"));
  const std::string plain = write("plain.toml", "max_step = 5");
  EXPECT_THAT(output(explain, {"optimizer", plain, "optimizer.b1=0.1"}),
              HasSubstr("  value    { b1 = 0.1 }   (command line)\n"));
  EXPECT_EQ(output(explain, {"optimizer.type", a}), output(explain, {"optimizer", a}));
}

TEST_F(ConfigCommands, ExplainOfAListSaysWhatItHolds) {
  const std::string empty = write("empty.toml", "");
  EXPECT_THAT(output(explain_watch, {"when", empty}), HasSubstr("  value    []   (the default)\n"));
  EXPECT_THAT(output(explain_watch, {"when", empty, "when.type=often", "when.n=5"}),
              HasSubstr("  value    { type = \"often\", n = 5 }   (command line)\n"));
  EXPECT_THAT(output(explain_watch, {"when.n", empty, "when.type=often", "when.n=5"}),
              HasSubstr("  value    5   (command line)\n"));
  EXPECT_THAT(output(explain_watch, {"when.hours"}),
              HasSubstr("when.hours   with when.type = \"rarely\"\n"));
}

TEST_F(ConfigCommands, ExplainSaysWhichTypeWouldHaveTheKey) {
  const std::string often = write("often.toml", "when = { type = \"often\" }");
  EXPECT_EQ(message_of([&] {
              explain_watch("config explain", type_of<Job>())({"when.hours", often});
            }),
            "'when.hours' exists only with when.type = \"rarely\"; this config has when.type = "
            "\"often\"");
}

TEST_F(ConfigCommands, ExplainNamesTheNearestKey) {
  const Error error = thrown_by([&] { output(explain, {"optimizer.b2"}); });
  EXPECT_EQ(error.message(),
            "unknown key 'optimizer.b2'; did you mean 'b1'?\n"
            "all keys: docs/config.md");
  testing::internal::GetCapturedStdout();
}

TEST_F(ConfigCommands, ExplainSaysWhereAKeyOfThatNameIs) {
  EXPECT_THAT(message_of([&] { output(explain, {"b1"}); }),
              testing::StartsWith("unknown key 'b1'; it exists as optimizer.b1\n"));
  testing::internal::GetCapturedStdout();
}

TEST_F(ConfigCommands, DocsHaveASectionPerTable) {
  EXPECT_EQ(output(print_config_docs, {}), R"(0
# Every key of a config

Written by `meshwright config docs > docs/config.md`; a test compares. How configs work:
[configuration.md](configuration.md).

| key | type | default | meaning |
|---|---|---|---|
| `max_step` | a whole number, positive, in steps | required | where it ends |
| `optimizer` | a table with type = "adam" or "momentum" | `type = "adam"` | how parameters change |

## `optimizer` with `type = "adam"`

| key | type | default | meaning |
|---|---|---|---|
| `b1` | a number, at least 0 and at most 1 | `0.9` | decay of the first moment |

## `optimizer` with `type = "momentum"`

| key | type | default | meaning |
|---|---|---|---|
| `b1` | a number, at least 0 and at most 1 | `0.5` | decay of the average |
)");
}

}  // namespace
}  // namespace meshwright::cli
