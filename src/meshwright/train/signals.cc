// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/signals.h"

#include <atomic>

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

void on_save(int) {
  save_requested = true;
}

}  // namespace

SignalWatch::SignalWatch() {
  stop_signal_number = 0;
  save_requested = false;
  for (int number : {SIGTERM, SIGINT, SIGUSR1}) {
    struct sigaction ours = {};
    ours.sa_handler = number == SIGUSR1 ? on_save : on_stop;
    ours.sa_flags = SA_RESTART;
    Replaced& replaced = replaced_.emplace_back(Replaced{number, {}});
    sigaction(number, &ours, &replaced.action);
  }
}

SignalWatch::~SignalWatch() {
  for (const Replaced& replaced : replaced_)
    sigaction(replaced.number, &replaced.action, nullptr);
}

Request SignalWatch::take() {
  return {.stop = stop_signal_number != 0, .save = save_requested.exchange(false)};
}

int SignalWatch::stop_signal() const {
  return stop_signal_number;
}

}  // namespace meshwright::train
