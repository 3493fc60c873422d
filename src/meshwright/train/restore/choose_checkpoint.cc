// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/restore/choose_checkpoint.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "meshwright/base/error_with_remedy.h"
#include "meshwright/base/log.h"

namespace meshwright::train {
namespace {

constexpr const char* kSetting = "checkpoint.restore_step = ";

[[noreturn]] void fail_to_find(std::int64_t step, const std::vector<std::int64_t>& steps) {
  fail(ErrorCode::no_checkpoint, kSetting, step, ": there is no checkpoint of that step\n",
       steps.empty() ? "there are no checkpoints" : "available steps: " + join(steps, ", "));
}

}  // namespace

CheckpointChoice::CheckpointChoice(checkpoint::Manager& checkpoints,
                                   Files run,
                                   const CheckpointChoiceOptions& options)
    : checkpoints_(checkpoints), run_(std::move(run)), options_(options) {}

std::optional<std::int64_t> CheckpointChoice::restore(const Use& take) const {
  if (!options_.step) return checkpoints_.read_newest_with(take);
  if (went_back_before()) return restore_since(take);
  const std::int64_t step = *options_.step;
  const std::vector<std::int64_t> steps = checkpoints_.steps();
  if (!std::ranges::binary_search(steps, step)) fail_to_find(step, steps);
  if (steps.back() > step && !options_.goes_back) {
    fail_with_remedy(ErrorCode::already_exists,
                     {RemedyKind::go_back,
                      str("to move them to earlier.N in ", run_->full_name(""), " and go back"),
                      "Job::goes_back"},
                     kSetting, step, ": there are newer checkpoints, up to step ", steps.back(),
                     ", which the run would overwrite");
  }
  try {
    checkpoints_.read_with(step, take);
    return step;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::data_loss) throw;
    fail(ErrorCode::no_checkpoint, kSetting, step, ": it is damaged: ", error.what());
  }
}

// Restores the newest checkpoint since the run reverted; retention may have deleted the step
// itself.
std::int64_t CheckpointChoice::restore_since(const Use& take) const {
  const std::int64_t gone_back_to = *options_.step;
  const std::optional<std::int64_t> step =
      checkpoints_.read_newest_with([&](const checkpoint::Stored& stored) {
        if (stored.step < gone_back_to) fail_to_find(gone_back_to, checkpoints_.steps());
        take(stored);
      });
  if (!step) fail_to_find(gone_back_to, {});
  return *step;
}

void CheckpointChoice::leave_newer(const RunFolder& folder, std::int64_t restored) const {
  if (!options_.step) return;
  if (went_back_before()) {
    if (restored > *options_.step)
      log_info("the run already went back to step ", *options_.step,
               " and continues from its checkpoints ", "since; to go back again, remove ",
               run_->full_name(kWentBackTo));
    return;
  }
  const std::vector<std::string> newer = checkpoints_.folders_after(*options_.step);
  std::string aside;
  if (!newer.empty()) aside = folder.set_checkpoints_aside(newer);
  folder.record_step_gone_back_to(*options_.step);
  if (newer.empty()) return;
  log_info("went back to step ", *options_.step, "; the ", newer.size(),
           " newer checkpoints are now in ", aside);
}

}  // namespace meshwright::train
