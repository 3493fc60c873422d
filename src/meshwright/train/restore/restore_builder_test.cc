// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/restore/restore_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log.h"
#include "meshwright/checkpoint/containers/all_containers.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/train/restore/state_converters.h"
#include "meshwright/train/step/state_testutil.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class RestoreBuilderTest : public testing::Test {
 protected:
  // A run with checkpoints of steps 2 and 4.
  RestoreBuilderTest() {
    checkpoint::Manager manager({.folder = run() / "checkpoints"});
    for (std::int64_t step : {2, 4}) {
      checkpoint::Contents contents{.step = step};
      add(contents, "model/w", counting_up({2, 2}, static_cast<float>(step)));
      add(contents, "model/old", numbers({1}));
      add(contents, "learner/mu/w", numbers({2}));
      add(contents, "prng_key", HostTensor::from<std::uint32_t>({1, 2}, {2}));
      manager.save(contents);
    }
    manager.wait();
  }

  static void add(checkpoint::Contents& contents, const std::string& path, const HostTensor& x) {
    contents.arrays[path] = checkpoint::ArrayParts{x.type(), {{whole_ranges(x.dims()), x}}};
  }
  fs::path run() const { return folder_.path() / "run"; }

  io::TemporaryFolder folder_;
  std::string log_;
  ScopedLogHandler handler_{
      [this](Severity severity, std::string_view text) { log_ += log_line(severity, text); }};
};

const std::map<std::string, ArrayType> kW = {{"model/w", {f32, {2, 2}}}};

TEST_F(RestoreBuilderTest, TakesTheNewestOfARunOfItsFolderOrOneCheckpoint) {
  for (const RestoreOptions& options :
       {RestoreOptions{.folder = run()}, RestoreOptions{.folder = run() / "checkpoints"},
        RestoreOptions{.folder = run() / "checkpoints/step_00000004"},
        RestoreOptions{.folder = run(), .step = 4}}) {
    BuildState built = from_checkpoint(options).build(state_specs(kW));
    EXPECT_EQ(built.step, 4);
    EXPECT_THAT(value_of(built, "model/w"), ElementsAre(4, 5, 6, 7));
    EXPECT_THAT(built_paths(built), ElementsAre("model/w"));
  }
  BuildState older = from_checkpoint({.folder = run(), .step = 2}).build(state_specs(kW));
  EXPECT_EQ(older.step, 2);
  EXPECT_THAT(value_of(older, "model/w"), ElementsAre(2, 3, 4, 5));
}

TEST_F(RestoreBuilderTest, SaysWhatItTookAndWhatItLeft) {
  from_checkpoint({.folder = run()}).build(state_specs(kW));
  EXPECT_THAT(log_, HasSubstr("initial state: 1 arrays from "));
  EXPECT_THAT(log_, HasSubstr("not used: learner, model/old, prng_key\n"));
  EXPECT_THAT(log_, Not(HasSubstr("warning")));
}

TEST_F(RestoreBuilderTest, LeavesNoTraceInTheOtherRun) {
  fs::create_directory(run() / "checkpoints/step_00000006.unfinished");
  from_checkpoint({.folder = run()}).build(state_specs(kW));
  EXPECT_TRUE(fs::exists(run() / "checkpoints/step_00000006.unfinished"));
}

TEST_F(RestoreBuilderTest, WhereThereIsNoneSaysWhichThereAre) {
  EXPECT_THAT(
      coded_message_of(
          [&] { from_checkpoint({.folder = run(), .step = 3}).build(state_specs(kW)); }),
      AllOf(HasSubstr("not found"), HasSubstr("step 3"), HasSubstr("available steps: 2, 4")));
  EXPECT_THAT(coded_message_of([&] {
                from_checkpoint({.folder = folder_.path() / "none"}).build(state_specs(kW));
              }),
              HasSubstr("not found: "));
}

TEST_F(RestoreBuilderTest, TellsEverythingThatDoesNotSuitAtOnce) {
  BuildState wanted = state_specs({{"model/w", {f32, {2, 3}}},
                                   {"model/new", {f32, {2}}},
                                   {"model/old/below", {f32, {}}},
                                   {"prng_key", {f32, {2}}}});
  EXPECT_THAT(message_of([&] { from_checkpoint({.folder = run()}).build(wanted); }),
              AllOf(HasSubstr("step 4 of "), HasSubstr("'model/w': f32[2,2] and f32[2,3]"),
                    HasSubstr("'model/old' is one array in the checkpoint and several here"),
                    HasSubstr("'prng_key': u32[2] and f32[2]"),
                    HasSubstr("not in the checkpoint: model/new")));
}

// Layouts of two systems that both call the parameter by another name.
checkpoint::ForeignLayout layout_of_system(std::string_view system,
                                           const std::vector<std::string>& /*paths*/) {
  checkpoint::ForeignLayout out;
  if (system == "first") out.arrays["model/w"] = {.path = "params/weight"};
  if (system == "second") out.arrays["model/w"] = {.path = "params/img/kernel", .order = {1, 0}};
  return out;
}

class RestoreByNamesTest : public RestoreBuilderTest {
 protected:
  RestoreByNamesTest() {
    checkpoint::Contents contents;
    add(contents, "params/img/kernel", counting_up({2, 2}, 1));
    add(contents, "params/other", numbers({3}));
    write_checkpoint(*checkpoint::find_container("npz"),
                     io::open_file_system(folder_.path().string()), "some.npz",
                     pending_checkpoint(contents));
  }
  RestoreOptions options(const std::string& path = "some.npz") const {
    return {.folder = folder_.path() / path,
            .foreign_layout = layout_of_system,
            .systems = {"first", "second"}};
  }
};

TEST_F(RestoreByNamesTest, NamesTellWhoseCheckpointAFileIs) {
  const BuildState built = from_checkpoint(options()).build(state_specs(kW));
  EXPECT_THAT(value_of(built, "model/w"), ElementsAre(1, 3, 2, 4));
}

TEST_F(RestoreByNamesTest, TheLayoutMayBeGiven) {
  RestoreOptions given = options();
  given.layout = "first";
  EXPECT_THAT(message_of([&] { from_checkpoint(given).build(state_specs(kW)); }),
              HasSubstr("not in the checkpoint: model/w"));
}

TEST_F(RestoreByNamesTest, APartOfACheckpointMayBeTaken) {
  RestoreOptions part = options("some.npz:img");
  part.foreign_layout = [](std::string_view, const std::vector<std::string>&) {
    return checkpoint::ForeignLayout{.arrays = {{"model/w", {.path = "params/kernel"}}}};
  };
  const BuildState built = from_checkpoint(part).build(state_specs(kW));
  EXPECT_THAT(value_of(built, "model/w"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(log_, Not(HasSubstr("other")));
  EXPECT_THAT(
      coded_message_of([&] { from_checkpoint(options("some.npz:txt")).build(state_specs(kW)); }),
      HasSubstr("not found: "));
}

TEST_F(RestoreBuilderTest, WhatIsLackingMayKeepItsInitialValues) {
  BuildState wanted = state_specs({{"model/w", {f32, {2, 2}}}, {"model/new", {f32, {2}}}});
  BuildState built = from_checkpoint({.folder = run(), .may_lack = true}).build(wanted);
  EXPECT_THAT(built_paths(built), ElementsAre("model/w"));
  EXPECT_THAT(log_, HasSubstr("warning: initial state: 1 arrays"));
  EXPECT_THAT(log_, HasSubstr("not in the checkpoint, so initialised: model/new\n"));
}

TEST_F(RestoreBuilderTest, WhatIsLeftMayBeAnError) {
  EXPECT_THAT(message_of([&] {
                from_checkpoint({.folder = run(), .may_have_more = false}).build(state_specs(kW));
              }),
              HasSubstr("in the checkpoint only: learner, model/old, prng_key"));
}

TEST_F(RestoreBuilderTest, RoundsUnlessThatIsAnError) {
  BuildState wanted = state_specs({{"model/w", {bf16, {2, 2}}}});
  BuildState built = from_checkpoint({.folder = run()}).build(wanted);
  EXPECT_EQ(built.arrays.at("model/w").value().value->dtype(), bf16);
  EXPECT_THAT(log_, HasSubstr("rounded: 'model/w': f32 to bf16\n"));
  EXPECT_THAT(
      message_of([&] { from_checkpoint({.folder = run(), .may_cast = false}).build(wanted); }),
      HasSubstr("with another dtype: 'model/w': f32 to bf16"));
}

TEST_F(RestoreBuilderTest, RestoresWhatAConverterMakesOfIt) {
  StateConverter cut = resize_positions({Regex("model/w")}, PositionStrategy::truncate);
  StateConverter names = rename({{Regex("model/new"), "model/old"}});
  BuildState target = state_specs({{"model/w", {f32, {1, 2}}}, {"model/new", {f32, {1}}}});
  StateBuilder builder = restore_and_convert(from_checkpoint({.folder = run()}),
                                             chain({std::move(names), std::move(cut)}));
  BuildState built = builder.build(target);
  EXPECT_THAT(value_of(built, "model/w"), ElementsAre(4, 5));
  EXPECT_THAT(value_of(built, "model/new"), ElementsAre(1));
}

}  // namespace
}  // namespace meshwright::train
