// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/base/log_testutil.h"
#include "meshwright/cli/ckpt_commands_testutil.h"

namespace meshwright::cli {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST_F(CkptCommands, ConvertToOtherContainersAndBack) {
  const std::string a = save("a", 20);
  const std::string file = (root / "x.safetensors").string(), b = (root / "b").string();
  EXPECT_THAT(output({"convert", a, file}),
              AllOf(HasSubstr("0\nwrote "), HasSubstr("x.safetensors: step 20, ")));
  EXPECT_THAT(output({"diff", a, file}), HasSubstr("0\nequal: "));
  EXPECT_THAT(output({"show", file}), HasSubstr("format safetensors"));
  EXPECT_THAT(output({"verify", file}), HasSubstr("only structure was checked"));
  output({"convert", file, b, "--to", "t5x", "--budget", "1KB", "--compress", "zstd"});
  EXPECT_THAT(output({"diff", a, b}), HasSubstr("0\nequal: "));
  EXPECT_THAT(output({"ls", b}), HasSubstr("t5x"));
  EXPECT_THAT(message_of([&] {
                output({"convert", a, file, "--to", "safetensors"});
              }),
              HasSubstr("already exists"));
  EXPECT_THAT(message_of([&] { output({"convert", a, b}); }), HasSubstr("--to is missing"));
  EXPECT_THAT(message_of([&] {
                output({"convert", a, b, "--to", "native", "--as", "t5x"});
              }),
              HasSubstr("--as needs --config"));
  EXPECT_THAT(message_of([&] {
                output({"convert", a, b, "--to", "npz", "--budget", "much"});
              }),
              HasSubstr("'much' is not a size in bytes"));
}

TEST_F(CkptCommands, ConvertKeepsMembersWithoutArrays) {
  checkpoint::PendingCheckpoint pending = checkpoint::pending_checkpoint(
      checkpoint::Contents{.arrays = unflatten<checkpoint::ArrayParts>(
                               {{"w", {{f32, {}}, {{{}, HostTensor::scalar(1.0F)}}}}})});
  pending.plan.structure = {.empty = {{"opt", checkpoint::EmptyNode::tuple}},
                            .texts = {{"name", "x"}}};
  write_checkpoint(checkpoint::format_named("native"), io::open_file_system(root.string()), "a",
                   std::move(pending), {});
  const std::string a = (root / "a").string(), b = (root / "b").string();
  const std::string file = (root / "c.npz").string();
  output({"convert", a, b, "--to", "t5x"});
  EXPECT_THAT(output({"show", b}),
              AllOf(HasSubstr("\nopt  empty tuple\n"), HasSubstr("name = 'x'\n")));
  EXPECT_THAT(output({"show", b, "--json"}),
              HasSubstr(R"("empty":{"opt":"tuple"},"texts":{"name":"x"})"));
  EXPECT_THAT(output({"diff", a, b, "--meta"}), StartsWith("0\n"));
  const CapturedLog log;
  output({"convert", b, file});
  EXPECT_THAT(log.text(), HasSubstr("npz has no place for 2 members without an array:\n"
                                    "  opt, empty tuple\n  name, a text"));
  EXPECT_THAT(output({"diff", a, file}), StartsWith("0\n"));
  EXPECT_THAT(output({"diff", a, file, "--meta"}),
              AllOf(StartsWith("1\n"), HasSubstr("opt: only in A: empty tuple\n"),
                    HasSubstr("name: only in A: 'x'\n")));
}

TEST_F(CkptCommands, ConvertRefusesWhatItCannotRead) {
  const fs::path a = root / "a", step = fs::path(save("native", 20)) / "step_00000020";
  fs::create_directories(a);
  fs::copy(step, a, fs::copy_options::recursive);
  for (const char* ours : {"meshwright.json", "commit_success.txt"})
    fs::remove(a / ours);
  std::ofstream(a / "model.w" / ".zarray")
      << R"({"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"<c8","compressor":null,)"
      << R"("fill_value":null,"filters":null,"order":"C"})";
  const std::string b = (root / "b").string();
  EXPECT_THAT(message_of([&] {
                output({"convert", a.string(), b, "--to", "native"});
              }),
              AllOf(HasSubstr("'<c8' is not supported"), HasSubstr("--drop 'model/w'")));
  EXPECT_THROW(output({"verify", a.string()}), Error);
  EXPECT_THROW(output({"diff", a.string(), a.string()}), Error);
  EXPECT_THAT(output({"diff", a.string(), step.string(), "--only", "learner/.*"}),
              StartsWith("0\n"));
  EXPECT_THAT(output({"show", a.string()}), HasSubstr("model/w  cannot be read: "));
  output({"convert", a.string(), b, "--to", "native", "--drop", "model/w"});
  EXPECT_THAT(output({"show", b}), HasSubstr("1 array, "));
}

TEST_F(CkptCommands, ADryRunWritesNothing) {
  const std::string a = save("a", 20), b = (root / "b").string();
  EXPECT_THAT(output({"convert", a, b, "--to", "native", "--dry-run"}), HasSubstr("model/w f32"));
  EXPECT_FALSE(fs::exists(b));
}

TEST_F(CkptCommands, SliceCastAndAverage) {
  const std::string a = save("a", 20);
  const auto at = [&](const char* name) { return (root / name).string(); };
  output({"slice", a, at("model"), "model/.*", "--below", "model"});
  EXPECT_THAT(output({"show", at("model")}), AllOf(HasSubstr("\nw "), Not(HasSubstr("learner"))));
  output({"cast", a, at("bf16"), "bf16", "--only", "model/w"});
  EXPECT_THAT(output({"show", at("bf16")}), HasSubstr("bf16["));
  EXPECT_THAT(message_of([&] {
                output({"cast", a, at("int"), "s32"});
              }),
              HasSubstr("not a floating-point dtype"));
  output({"average", a, a, at("mean")});
  EXPECT_THAT(output({"diff", a, at("mean")}), HasSubstr("0\nequal: "));
  EXPECT_THAT(message_of([&] {
                output({"average", a, at("more"), "--newest", "9"});
              }),
              HasSubstr("--newest 9: there are 1"));
}

}  // namespace
}  // namespace meshwright::cli
