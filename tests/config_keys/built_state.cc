// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/digest.h"
#include "meshwright/cli/job.h"
#include "meshwright/config/config.h"
#include "meshwright/train/restore/state_builder.h"
#include "meshwright/train/trainer/programs.h"
#include "run_in_folder.h"
#include "runs.h"
#include "small_configs.h"

namespace meshwright::config_keys {
namespace {

void train_once(const char* base, const std::string& dir) {
  cli::RunConfig config = config::from_toml<cli::RunConfig>(base);
  config.train.dir = dir;
  config.train.max_step = 2;
  config.train.checkpoint.when = train::When{train::EveryN{.n = 1}};
  EXPECT_EQ(train_here(config).error, "no error");
}

// Returns a folder with the runs that others start from.
const std::filesystem::path& folder_of_others() {
  static const io::TemporaryFolder folder;
  static const bool are_trained = [] {
    const InFolder in_folder(folder.path());
    train_once(kLearnedPositions, "other");
    train_once(kVit, "other_vit");
    return true;
  }();
  (void)are_trained;
  return folder.path();
}

// Returns a state with nothing built and zeros as initial values.
train::BuildState nothing_built(const train::StateLayout& layout) {
  train::BuildState out;
  for_each(layout.specs, [&](const std::string& path, const ParamSpec& spec) {
    if (path == "num_skipped") return;
    out.arrays[path] = train::StateArray{.type = spec.type, .value = HostTensor(spec.type)};
  });
  return out;
}

std::string text_of(const train::BuildState& state) {
  std::string out = str("step ", state.step);
  for_each(state.arrays, [&](const std::string& path, const train::StateArray& array) {
    if (!array.is_built) return;
    const HostTensor& x = array.value.value();
    out += str("\n", path, x.type(), " ",
               digest_hex({reinterpret_cast<const char*>(x.data()), x.num_bytes()}));
  });
  return out;
}

}  // namespace

std::string built_state(const cli::RunConfig& config) {
  const InFolder in_folder(folder_of_others());
  const std::vector<runtime::DeviceInfo> devices(1);
  std::string out;
  const std::string error = message_of([&] {
    const train::Job job = cli::make_job(config, devices);
    const train::TrainingSetup setup = train::setup_of(job);
    train::BuildState state = nothing_built(setup.layout);
    if (job.init_state) state = job.init_state->build(std::move(state));
    out = text_of(state);
  });
  return str(out, "\n", error);
}

}  // namespace meshwright::config_keys
