// SPDX-License-Identifier: Apache-2.0
// The config.toml of a run's folder is enough to know what its checkpoints hold: no task is built.
#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/str.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/cli/configured_state.h"
#include "meshwright/cli/load_run_config.h"
#include "meshwright/config/config.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/systems/list/all_systems.h"

namespace meshwright::cli {
namespace {

using Types = std::map<std::string, ArrayType>;

ConfiguredState state_of_run(const std::string& run) {
  return configured_state(load_config_of_run(str(GOLDEN_RUNS "/", run)));
}

checkpoint::Stored stored_by_run(const std::string& run) {
  const checkpoint::Location location =
      checkpoint::locate(str(GOLDEN_RUNS "/", run, "/checkpoints"));
  return location.container->open(location.files, location.step().folder);
}

Types types_of(const checkpoint::Stored& stored) {
  Types out;
  for_each(stored.arrays, [&](const std::string& path, const checkpoint::StoredArray& array) {
    out.emplace(path, array.type());
  });
  return out;
}

Types types_of(const ParamSpecs& specs) {
  Types out;
  for_each(specs,
           [&](const std::string& path, const ParamSpec& spec) { out.emplace(path, spec.type); });
  return out;
}

// Returns the arrays of a state as a system with this layout stores them.
Types foreign_types(const Types& native, const checkpoint::ForeignLayout& layout) {
  Types out;
  auto add = [&](const ForeignArray& array, const ArrayType& type) {
    out[array.path] = {type.dtype, foreign_dims(array, type.dims)};
  };
  for (const auto& [path, type] : native) {
    const auto found = layout.arrays.find(path);
    if (found == layout.arrays.end()) {
      out[path] = type;
      continue;
    }
    add(found->second, type);
    for (const ForeignArray& copy : found->second.copies)
      add(copy, type);
  }
  return out;
}

TEST(StoredNames, FollowFromTheConfigInNativeRuns) {
  EXPECT_EQ(types_of(state_of_run("native").arrays), types_of(stored_by_run("native")));
}

TEST(StoredNames, FollowFromTheConfigInRunsWithForeignFormats) {
  for (const char* name : {"axlearn", "seqax"}) {
    const ConfiguredState state = state_of_run(name);
    const checkpoint::ForeignLayout layout = layout_of(state, systems::system_named(name));
    EXPECT_FALSE(layout.arrays.empty()) << name;
    const checkpoint::Stored stored = stored_by_run(name);
    EXPECT_EQ(foreign_types(types_of(state.arrays), layout), types_of(stored)) << name;
    EXPECT_EQ(types_of(checkpoint::from_foreign(stored, layout)), types_of(state.arrays)) << name;
  }
}

// T5X wrote this checkpoint itself.
TEST(StoredNames, OfT5xGoBothWays) {
  const checkpoint::Location location =
      checkpoint::locate(GOLDEN_FOLDER "/t5x/run/checkpoints/checkpoint_3");
  const checkpoint::Stored theirs =
      location.container->open(location.files, location.step().folder);
  const auto config = config::load<RunConfig>(CONTINUED_CONFIGS "/t5x.toml", {});
  const ConfiguredState state = configured_state(config);
  const checkpoint::ForeignLayout layout = layout_of(state, systems::system_named("t5x"));
  const checkpoint::Stored ours = checkpoint::from_foreign(theirs, layout);
  EXPECT_EQ(types_of(ours), types_of(state.arrays));

  const checkpoint::Files files = std::make_shared<io::MemoryFileSystem>();
  const checkpoint::Format& native = checkpoint::format_named("native");
  write_checkpoint(native, files, "", to_foreign(pending_checkpoint(read_contents(ours)), layout));
  const checkpoint::Stored again = native.open(files, native.step_name(theirs.step));
  for_each(theirs.arrays, [&](const std::string& path, const checkpoint::StoredArray& array) {
    const HostTensor before = array.read(), after = again.arrays.at(path).value().read();
    EXPECT_EQ(after.type(), before.type()) << path;
    EXPECT_TRUE(std::ranges::equal(after.bytes(), before.bytes())) << path;
  });
}

TEST(StoredNames, AreNativeInASystemWithoutSuchAModel) {
  EXPECT_TRUE(layout_of(state_of_run("seqax"), systems::system_named("axlearn")).arrays.empty());
  EXPECT_TRUE(layout_of(state_of_run("seqax"), systems::system_named("t5x")).arrays.empty());
}

// Tasks differ in what their models need to know.
TEST(StoredNames, AreKnownForEveryTask) {
  auto num_arrays = [](const char* text) {
    return configured_state(config::from_toml<RunConfig>(text)).arrays.at("model").num_leaves();
  };
  EXPECT_GT(num_arrays(R"(
task = { type = "image_classification", model = { classes = 3, patch = 4, layers = 1 } }
data = { type = "shapes", batch_size = 2 }
optimizer = { type = "adamw", learning_rate = 1e-3 }
)"),
            0U);
  EXPECT_GT(num_arrays(R"(
task = { type = "seq2seq", model = { vocab = 12, encoder_layers = 1, decoder_layers = 1 } }
data = { type = "sequences", batch_size = 2 }
optimizer = { type = "adamw", learning_rate = 1e-3 }
)"),
            0U);
}

}  // namespace
}  // namespace meshwright::cli
