// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/signals.h"

#include <atomic>
#include <string_view>

#include <unistd.h>

namespace meshwright::train {
namespace {

// Handlers reach nothing else.
std::atomic<int> stop_signal_number{0};
std::atomic<bool> save_requested{false};
static_assert(std::atomic<int>::is_always_lock_free);

void on_stop(int number) {
  stop_signal_number = number;
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
}

// A terminal that goes away may say so more than once, by the shell and by the system.
void on_hang_up(int number) {
  if (stop_signal_number == 0) stop_signal_number = number;
}

void on_save(int) {
  save_requested = true;
}

// Only what is allowed in handlers: memory and locks may be in any state.
void on_early_end(int number) {
  constexpr std::string_view kText = "meshwright: stopped on request before training began\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText.data(), kText.size());
  ::_exit(128 + number);
}

// Forgets what was asked of an earlier watch, before the handlers are there.
SignalHandlers watch_stop_signals() {
  stop_signal_number = 0;
  save_requested = false;
  return {{SIGTERM, SIGINT}, on_stop};
}

// Where it is ignored, somebody has said that it shall be, by nohup.
SignalHandlers watch_hang_up() {
  struct sigaction now = {};
  sigaction(SIGHUP, nullptr, &now);
  if (now.sa_handler == SIG_IGN) return {{}, on_hang_up};
  return {{SIGHUP}, on_hang_up};
}

}  // namespace

SignalHandlers::SignalHandlers(std::initializer_list<int> numbers, void (*handler)(int)) {
  for (int number : numbers) {
    struct sigaction ours = {};
    ours.sa_handler = handler;
    ours.sa_flags = SA_RESTART;
    Replaced& replaced = replaced_.emplace_back(Replaced{number, {}});
    sigaction(number, &ours, &replaced.action);
  }
}

SignalHandlers::~SignalHandlers() {
  for (const Replaced& replaced : replaced_)
    sigaction(replaced.number, &replaced.action, nullptr);
}

EndAtOnce::EndAtOnce() : handlers_({SIGTERM, SIGINT}, on_early_end) {}

SignalWatch::SignalWatch()
    : stop_(watch_stop_signals()), hang_up_(watch_hang_up()), save_({SIGUSR1}, on_save) {}

bool SignalWatch::has_request() const {
  return stop_signal_number != 0 || save_requested;
}

Request SignalWatch::take() {
  return {.stop = stop_signal_number != 0, .save = save_requested.exchange(false)};
}

int SignalWatch::stop_signal() const {
  return stop_signal_number;
}

}  // namespace meshwright::train
