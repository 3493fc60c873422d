// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/ckpt_commands.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/checkpoint/format/manifest.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/cli/ckpt_commands_testutil.h"

namespace meshwright::cli {
namespace {

// As AXLearn itself would have written it.
void make_foreign(const std::filesystem::path& step) {
  for (const char* file : {"meshwright.json", "meshwright.txt"})
    std::filesystem::remove(step / file);
}

namespace fs = std::filesystem;
using checkpoint::Contents;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST_F(CkptCommands, ShowTextsOfSeveralLinesAsTheyAre) {
  Contents contents{.step = 3};
  contents.meta["config"] = Scalar(std::string("max_step = 3\ntitle = '\x1b[2J'\n"));
  write_checkpoint(checkpoint::format_named("native"), io::open_file_system(root.string()), "a",
                   contents);
  EXPECT_THAT(output({"show", (root / "a").string()}),
              HasSubstr("config:\n    max_step = 3\n    title = '\\x1b[2J'\n"));
}

TEST_F(CkptCommands, ListTheStepsOfARun) {
  save("a", 10);
  const std::string run = save("a", 20);
  EXPECT_THAT(output({"ls", run}), AllOf(HasSubstr("10"), HasSubstr("20"), HasSubstr("native"),
                                         HasSubstr("committed"), HasSubstr("KiB")));
  EXPECT_THAT(output({"ls", run, "--json"}),
              AllOf(HasSubstr(R"("step":20)"), HasSubstr(R"("committed":true)")));
}

TEST_F(CkptCommands, ShowArraysAndSmallValues) {
  const std::string run = save("a", 20);
  EXPECT_THAT(
      output({"show", run}),
      AllOf(HasSubstr("step 20, format native, 2 arrays, 5 elements"),
            HasSubstr("model/w        f32[2,2]\n"), HasSubstr("seed = 5"), Not(HasSubstr("mean"))));
}

TEST_F(CkptCommands, ShowWhatElementsAreLike) {
  const std::string run = save("a", 20);
  EXPECT_THAT(output({"show", run, "--stats", "--only", "model/.*"}),
              AllOf(HasSubstr("min -3  max 4  mean 0.5  std 2.5"), HasSubstr("zeros 1"),
                    HasSubstr("1e0: 75.0%"), Not(HasSubstr("count"))));
  EXPECT_THAT(output({"show", run, "--stats", "--json"}),
              AllOf(HasSubstr(R"("shape":[2,2],"min":-3)"), HasSubstr(R"("meta":{"seed":5})")));
}

TEST_F(CkptCommands, ShowNamesIteratorsOfOthers) {
  Contents contents{.step = 3};
  const checkpoint::KeptFile file{.num_bytes = 2048, .read = [] { return std::string(2048, 'x'); }};
  contents.iterators = {{"input_iter", "<class 'tf.It'>", {{"tf_0/input_iter.index", file}}}};
  write_checkpoint(checkpoint::format_named("axlearn"), io::open_file_system(root.string()), "a",
                   contents);
  const std::string run = (root / "a").string();
  EXPECT_THAT(
      output({"show", run}),
      HasSubstr("input_iter  <class 'tf.It'>, 2.0 KiB in tf_0/input_iter.index; used only by "
                "axlearn\n"));
  EXPECT_THAT(output({"show", run, "--json"}),
              HasSubstr(R"("iterators":[{"path":"input_iter","type":"<class 'tf.It'>",)"
                        R"("files":{"tf_0/input_iter.index":2048}}])"));
}

TEST_F(CkptCommands, ShowHasNoMagnitudesOfZeros) {
  const HostTensor zeros = HostTensor::from<float>({0, 0}, {2});
  Contents contents{.step = 3};
  contents.arrays["x"] = checkpoint::ArrayParts{zeros.type(), {{{{0, 2}}, zeros}}};
  write_checkpoint(checkpoint::format_named("native"), io::open_file_system(root.string()), "a",
                   contents);
  EXPECT_THAT(output({"show", (root / "a").string(), "--stats"}),
              AllOf(HasSubstr("zeros 2"), Not(HasSubstr("|x|"))));
}

TEST_F(CkptCommands, TakeAFileForItsCheckpoint) {
  const fs::path run = save("a", 20);
  EXPECT_THAT(output({"show", (run / "step_00000020" / "model.w" / "0.0").string()}),
              HasSubstr("step 20, format native"));
  // Checkpoints beside a file are not the file's.
  output({"convert", run.string(), (root / "x.safetensors").string()});
  output({"convert", run.string(), (root / "orbax").string(), "--to", "orbax"});
  EXPECT_THAT(output({"show", (root / "orbax" / "_METADATA").string()}), HasSubstr("orbax, 2"));
  std::ofstream(root / "other") << "x";
  EXPECT_THAT(
      message_of([&] {
        output({"show", (root / "other").string()});
      }),
      AllOf(HasSubstr("is a file that belongs to no checkpoint"), HasSubstr("known formats: ")));
}

TEST_F(CkptCommands, SayThatACheckpointIsUnfinished) {
  const fs::path run = save("a", 20, 1, "axlearn");
  for (const char* file : {"index", "meshwright.json"})
    fs::remove(run / "step_00000020" / file);
  EXPECT_THAT(message_of([&] {
                output({"show", run.string()});
              }),
              AllOf(HasSubstr("has no readable checkpoint"), HasSubstr("is unfinished")));
  EXPECT_THAT(message_of([&] {
                output({"show", (run / "step_00000020").string()});
              }),
              HasSubstr("unfinished: still being saved"));
}

TEST_F(CkptCommands, VerifyNamesAFileOnce) {
  const fs::path run = save("a", 20, 1, "axlearn");
  make_foreign(run / "step_00000020");
  std::ofstream(run / "step_00000020" / "index") << "[[";
  const std::string text = output({"verify", run.string()});
  EXPECT_EQ(count(text, "step_00000020"), 1) << text;
}

TEST_F(CkptCommands, VerifyLooksForAnOlderOneThatIsGood) {
  save("a", 10);
  const std::string run = save("a", 20);
  EXPECT_THAT(output({"verify", run}), StartsWith("0\nstep 20: good\n"));
  damage(run, "20/");
  EXPECT_THAT(output({"verify", run}),
              AllOf(StartsWith("1\nstep 20: damaged\n"), HasSubstr("step 10: good\n")));
  damage(run, "10/");
  EXPECT_THAT(output({"verify", run}),
              AllOf(StartsWith("1\n"), HasSubstr("no checkpoint of this run is intact\n")));
}

TEST_F(CkptCommands, VerifySaysWhereThereAreNoChecksums) {
  const fs::path run = save("a", 20, 1, "axlearn");
  make_foreign(run / "step_00000020");
  damage(run, "20/");  // nobody can see that
  const std::string told = "step 20: no checksums: only structure was checked\n";
  EXPECT_EQ(output({"verify", run}), "0\n" + told);
  EXPECT_EQ(output({"verify", run, "--strict"}), "1\n" + told);
  EXPECT_THAT(output({"verify", run, "--json"}), HasSubstr(R"("good":true,"checksums":false)"));
  EXPECT_THAT(output({"verify", save("b", 20), "--strict"}), StartsWith("0\nstep 20: good\n"));
}

TEST_F(CkptCommands, DiffSaysThatCheckpointsAreEqualInAnyFormat) {
  const std::string a = save("a", 20);
  const std::string b = save("b", 30, 1, "axlearn");
  EXPECT_EQ(output({"diff", a, b}), "0\nequal: 2 arrays\n");
  EXPECT_EQ(output({"diff", a, b, "--only", "model/.*", "--atol", "1"}),
            "0\nequal within the tolerance: 1 array\n");
  EXPECT_THAT(output({"diff", a, b, "--json"}), AllOf(StartsWith(R"(0
{"equal":true,"a":{"folder":)"),
                                                      HasSubstr(R"("step":30)")));
}

TEST_F(CkptCommands, DiffSaysWhatIsDifferent) {
  const std::string a = save("a", 20);
  const std::string b = save("b", 20, 1.5);
  EXPECT_EQ(output({"diff", a, b}), "1\nmodel/w: 1 of 4 elements differ, by 0.5 at most\n");
  EXPECT_THAT(output({"diff", a, b, "--atol", "0.6"}), StartsWith("0\n"));
  EXPECT_EQ(output({"diff", a, b, "--only", "learner/.*"}), "0\nequal: 1 array\n");
  EXPECT_THAT(output({"diff", a, b, "--json"}),
              AllOf(StartsWith("1\n{\"equal\":false"),
                    HasSubstr(R"([{"path":"model/w","elements":4,"different":1,"largest":0.5}])")));
  EXPECT_THAT(message_of([&] {
                output({"diff", a, b, "--only", "w"});
              }),
              HasSubstr("no array's path matches 'w'"));
}

// Two names that have nothing in common but their letters are no mistake for each other.
TEST_F(CkptCommands, DiffNamesArraysOfOneOnlyAndSuggestsNothing) {
  const std::string a = save("a", 20);
  Contents contents{.step = 20};
  const HostTensor v = HostTensor::from<float>({1, 2}, {2});
  contents.arrays["model/v"] = checkpoint::ArrayParts{v.type(), {{whole_ranges(v.dims()), v}}};
  write_checkpoint(checkpoint::format_named("native"), io::open_file_system(root.string()), "b",
                   contents);
  const std::string b = (root / "b").string();
  EXPECT_EQ(output({"diff", a, b}),
            "1\n- learner/count s32[]\n- model/w f32[2,2]\n+ model/v f32[2]\n");
  EXPECT_THAT(output({"diff", a, b, "--json"}),
              HasSubstr(R"({"path":"model/v","a":null,"b":{"dtype":"f32","shape":[2]}})"));
}

TEST_F(CkptCommands, RefuseANativeCheckpointWithoutItsManifest) {
  const fs::path step = fs::path(save("a", 20)) / "step_00000020";
  fs::remove(step / checkpoint::kManifestFile);
  EXPECT_THAT(message_of([&] {
                output({"show", step.string()});
              }),
              HasSubstr("is a checkpoint of Meshwright that lost meshwright.json"));
}

// Calls within each other for each folder would run out of stack.
TEST_F(CkptCommands, ListStepsInWhichFoldersAreNestedDeeply) {
  const fs::path run = save("a", 20);
  const fs::path before = fs::current_path();
  fs::current_path(run / "step_00000020");
  for (int i = 0; i < 3000; ++i) {
    fs::create_directory("d");
    fs::current_path("d");
  }
  std::ofstream("file") << "x";
  fs::current_path(before);
  EXPECT_THAT(output({"ls", run}), AllOf(StartsWith("0\n"), HasSubstr("committed")));
  // remove_all opens all of them at once.
  EXPECT_EQ(std::system(str("rm -rf '", run.string(), "'").c_str()), 0);
}

TEST_F(CkptCommands, RefuseNumbersThatMakeNoSense) {
  const std::string run = save("a", 20);
  for (const char* x : {"-1", "nan"})
    EXPECT_THROW(output({"diff", run, run, "--atol", x}), Error);
  EXPECT_THROW(output({"diff", run, run, "--rtol", "-0.1"}), Error);
  EXPECT_THROW(output({"gc", run, "--keep-last", "1", "--keep-every-seconds", "-3"}), Error);
  EXPECT_THAT(message_of([] { output({"ls", ""}); }), HasSubstr("the name of the folder is empty"));
}

TEST_F(CkptCommands, SayWhatHasTheNameOfAStepOnly) {
  fs::create_directories(root / "a" / "step_00000003");
  EXPECT_THAT(message_of([&] {
                output({"ls", (root / "a").string()});
              }),
              HasSubstr("'step_00000003' is named like a checkpoint, but lacks its files"));
}

TEST_F(CkptCommands, VerifySeesThatAStepIsAnother) {
  const fs::path run = save("a", 20);
  fs::rename(run / "step_00000020", run / "step_00000030");
  EXPECT_THAT(output({"verify", run.string()}),
              AllOf(StartsWith("1\nstep 30: damaged\n"), HasSubstr("is of step 20")));
}

TEST_F(CkptCommands, ADamagedFileIsNamedOnce) {
  const std::string run = save("a", 20);
  damage(run, "20/");
  const std::string text = message_of([&] { output({"diff", run, run}); });
  EXPECT_EQ(count(text, "model.w/0.0"), 1) << text;
}

TEST_F(CkptCommands, AFolderCannotCommandTheTerminal) {
  save("a", 20);
  fs::rename(root / "a", root / "a\x1b[2J");
  const std::string run = (root / "a\x1b[2J").string();
  EXPECT_THAT(output({"show", run}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(output({"pin", run}), Not(HasSubstr("\x1b")));
}

TEST_F(CkptCommands, TakeAPathAsAUrl) {
  const std::string run = save("a", 20);
  EXPECT_EQ(output({"ls", "file://" + run}), output({"ls", run}));
  EXPECT_THAT(message_of([] {
                output({"ls", "gs://bucket/run"});
              }),
              HasSubstr("gs:// is not supported"));
}

TEST_F(CkptCommands, SayWhatIsNotThere) {
  EXPECT_THAT(message_of([] {
                output({"ls", std::string(5000, 'x')});
              }),
              HasSubstr("File name too long"));
  EXPECT_THROW(output({"ls", (root / "nowhere").string()}), Error);
  EXPECT_THROW(output({"shwo", root.string()}), Error);
  EXPECT_THROW(output({"ls"}), Error);
}

}  // namespace
}  // namespace meshwright::cli
