// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer/starting_state.h"

#include <filesystem>
#include <utility>

#include "meshwright/base/log.h"
#include "meshwright/data/core/state.h"
#include "meshwright/train/restore/initial_state.h"
#include "meshwright/train/restore/match_arrays.h"
#include "meshwright/train/trainer/environment.h"
#include "meshwright/train/trainer/suitability.h"

namespace meshwright::train {
namespace {

using checkpoint::Meta;
using checkpoint::Stored;

// Returns the lineage for checkpoints of a run that continues from `stored`.
Meta lineage_of(const RunFolder& folder, const Stored& stored) {
  Meta out;
  out["run"] = Scalar(std::filesystem::absolute(folder.name()).lexically_normal().string());
  out["step"] = Scalar(stored.step);
  if (!stored.digest.empty()) out["digest"] = Scalar(stored.digest);
  return out;
}

}  // namespace

StartingState::StartingState(const Job& job,
                             RunParts& parts,
                             Session& session,
                             const runtime::Client& client)
    : job_(job), parts_(parts), session_(session), client_(client) {
  const std::optional<std::int64_t> step = choice().restore([this](const Stored& stored) {
    check_suits(stored, job_, parts_.setup.layout);
    config_changes_ = changes_since(stored, job_);
  });
  if (step) {
    tell(config_changes_, *step);
    return;
  }
  if (!job_.fresh) session_.folder().check_no_steps_elsewhere();
  built_ = build_early(parts_.setup.layout, job_.init_state);
}

CheckpointChoice StartingState::choice() {
  return {parts_.checkpoints,
          session_.folder().files(),
          {.step = job_.config.checkpoint.restore.step, .goes_back = job_.goes_back}};
}

Position StartingState::load(StepRunner& runner) {
  const TimeAccount::Span span(session_.times(), Spent::restoring);
  std::optional<Position> restored;
  const std::optional<std::int64_t> step = choice().restore([&](const Stored& stored) {
    restored = take(runner, stored, job_.config.prefetch.resume);
    if (const Meta* then = stored.meta.find("environment"))
      warn_of_other_environment(*then, environment(client_));
  });
  if (!step) return begin_anew(runner);
  choice().leave_newer(session_.folder(), *step);
  log_info("restored the checkpoint of step ", *step);
  return *restored;
}

Position StartingState::go_back(StepRunner& runner, std::int64_t last_good) {
  std::optional<Position> restored;
  parts_.checkpoints.read_newest_with(
      [&](const Stored& stored) { restored = take(runner, stored, /*resumes_data=*/true); },
      last_good);
  if (!restored) return begin_anew(runner);
  parts_.checkpoints.remove_after(restored->step);
  return *restored;
}

Position StartingState::take(StepRunner& runner, const Stored& stored, bool resumes_data) const {
  const Meta& meta = stored.meta;
  Position out{.step = stored.step};
  const std::int64_t num_used = resumes_data ? num_batches_used(stored) : 0;
  out.data_offset = job_.skipped_batches.num_kept(num_used) - stored.step;
  // Clears the count of updates that an earlier run skipped, which would halt this one: its program
  // applies no update after the first skipped one.
  const bool forgets_skipped = job_.config.step.non_finite.action != OnNonFinite::skip;
  Stored wanted = stored;
  if (forgets_skipped)
    wanted.arrays["num_skipped"] = checkpoint::stored_value(HostTensor::scalar<std::int32_t>(0));
  const auto initial = [&](const Tree<HostTensor>& prebuilt) {
    runner.init(job_.config.seed, prebuilt);
    return runner.state();
  };
  const RestoreConfig& config = job_.config.checkpoint.restore;
  runner.restore(arrays_to_restore(wanted, parts_.setup.layout, config, initial),
                 {.max_bytes = static_cast<std::uint64_t>(config.max_bytes)});
  const Meta* num_skipped = meta.find("num_skipped");
  if (num_skipped != nullptr && !forgets_skipped)
    out.num_skipped = std::get<std::int64_t>(num_skipped->value());
  out.lineage = lineage_of(session_.folder(), stored);
  out.times = time_spent(meta.find("time_spent"));
  const Meta* agenda = meta.find("loop");
  out.agenda = agenda != nullptr ? *agenda : Meta();
  return out;
}

std::int64_t StartingState::num_batches_used(const Stored& stored) const {
  const Meta* state = stored.meta.find("data");
  if (state == nullptr) {
    log_warning("the checkpoint of step ", stored.step, " has no data position; the next batch is ",
                stored.step);
    return stored.step;
  }
  return data::num_batches_used(
      *job_.source, *state,
      job_.config.prefetch.allow_other_data ? data::OnOtherData::warn : data::OnOtherData::refuse);
}

Position StartingState::begin_anew(StepRunner& runner) {
  const std::int64_t built = begin_state(runner, parts_.setup.layout, job_.config.seed,
                                         job_.init_state, std::exchange(built_, std::nullopt));
  return {.step = job_.begins_at_built_step ? built : 0};
}

}  // namespace meshwright::train
