// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/save/background_saves.h"

#include <exception>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/log.h"

namespace meshwright::checkpoint {
namespace {

std::string remedy(const std::string& place) {
  return str("\nfix the cause and run the same command again: it resumes from the newest ",
             "checkpoint in ", place);
}

}  // namespace

void BackgroundSaves::start(std::int64_t step, std::function<void()> save) {
  MW_CHECK(!is_running(), "checkpoint: the save of step ", step_, " is still running");
  step_ = step;
  running_.emplace(std::move(save));
}

void BackgroundSaves::poll() {
  if (is_running() && running_->is_ready()) record_end();
  if (num_failed_ < max_failed_) return;
  fail(ErrorCode::unavailable, "checkpoint: the last ", num_failed_,
       " saves failed and further work would be lost: ", last_failure_, remedy(place_));
}

void BackgroundSaves::wait() {
  if (is_running()) record_end();
}

void BackgroundSaves::finish() {
  wait();
  if (num_failed_ == 0) return;
  fail(ErrorCode::unavailable, "checkpoint: the last save failed: ", last_failure_, remedy(place_));
}

void BackgroundSaves::record_end() {
  const Background<void> ended = std::move(*running_);
  running_.reset();
  try {
    ended.get();
    num_failed_ = 0;
    return;
  } catch (const std::exception& error) {
    last_failure_ = error.what();
  } catch (...) {
    last_failure_ = "an unknown exception";
  }
  ++num_failed_;
  log_warning("the checkpoint of step ", step_, " was not saved: ", last_failure_);
}

}  // namespace meshwright::checkpoint
