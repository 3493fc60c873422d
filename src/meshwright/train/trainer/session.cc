// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer/session.h"

#include "meshwright/base/log.h"
#include "meshwright/train/trainer/environment.h"

namespace meshwright::train {
namespace {

// True for errors that may be caused by moving the folder.
bool may_be_of_files(ErrorCode code) {
  switch (code) {
    case ErrorCode::not_found:
    case ErrorCode::already_exists:
    case ErrorCode::data_loss:
    case ErrorCode::unavailable:
    case ErrorCode::resource_exhausted:
    case ErrorCode::invalid_argument:
      return true;
    default:
      return false;
  }
}

}  // namespace

Session::Session(const Job& job, const runtime::Client& client)
    : job_(job),
      process_(process_of(client)),
      folder_(job.config.dir),
      log_prefix_(job.config.log_prefix ? std::optional<ScopedLogPrefix>(
                                              std::in_place, [this] { return log_prefix(); })
                                        : std::nullopt) {
  if (job.fresh) folder_.set_earlier_runs_aside();
}

double Session::seconds() const {
  return steady_seconds() - start_seconds_;
}

std::string Session::log_prefix() const {
  const std::int64_t step = log_step_;
  return str("process ", process_, " step ", step < 0 ? "-" : str(step), "] ");
}

void Session::enter(std::int64_t step, std::string_view phase, int verbosity) {
  log_step_ = step;
  watchdog_.record_progress(step, phase);
  trace_.begin_phase(step, phase);
  log_at(verbosity, "step ", step, ": ", phase);
}

void Session::start_trace(std::int64_t step) {
  if (!contains(job_.config.loop.trace.processes, process_)) return;
  log_info("a trace of the host starts after step ", step);
  trace_.start();
  trace_start_ = step;
}

void Session::stop_trace() {
  const std::string of_process = process_ == 0 ? "" : str("_process_", process_);
  trace_.stop(*folder_.files(), str("traces/step_", trace_start_, of_process, ".json"));
}

void Session::explain(const Error& error) {
  if (!may_be_of_files(error.code()) || folder_.state() == io::RootState{}) return;
  log_warning(error.what());
  folder_.check_in_place();
}

}  // namespace meshwright::train
