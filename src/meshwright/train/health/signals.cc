// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/health/signals.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string_view>

#include <time.h>
#include <unistd.h>

namespace meshwright::train {
namespace {

enum class Phase : int { starting, training, ended };

// The only state that handlers use.
std::atomic<Phase> phase{Phase::starting};
std::atomic<int> stop_signal_number{0};
std::atomic<std::int64_t> stop_requested_at{0};  // time by now_nanoseconds()
std::atomic<bool> save_requested{false};
static_assert(std::atomic<Phase>::is_always_lock_free);
static_assert(std::atomic<int>::is_always_lock_free);
static_assert(std::atomic<std::int64_t>::is_always_lock_free);
static_assert(std::atomic<bool>::is_always_lock_free);

constexpr std::int64_t kRepeatNanoseconds = 1'000'000'000;

std::int64_t now_nanoseconds() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

std::string_view name_of(int number) {
  switch (number) {
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    case SIGHUP:
      return "SIGHUP";
    case SIGXCPU:
      return "SIGXCPU";
    case SIGUSR1:
      return "SIGUSR1";
    case SIGUSR2:
      return "SIGUSR2";
    case SIGALRM:
      return "SIGALRM";
    default:
      return "a signal";
  }
}

// Async-signal-safe. Writes the line in one call, so that lines of other threads cannot split it.
void write_line(std::string_view before, int number, std::string_view after) {
  char line[256];
  std::size_t size = 0;
  for (std::string_view part :
       {std::string_view("meshwright: "), before, name_of(number), after, std::string_view("\n")}) {
    for (char c : part) {
      if (size < sizeof(line)) line[size++] = c;
    }
  }
  const int saved_errno = errno;
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line, size);
  errno = saved_errno;
}

[[noreturn]] void leave_at_once(int number) {
  switch (phase.load()) {
    case Phase::starting:
      write_line("stopped by ", number, " before the first update; there was nothing to save");
      break;
    case Phase::training:
      write_line("stopped at once by a repeated ", number,
                 " without saving; updates since the last checkpoint are lost");
      break;
    case Phase::ended:
      write_line("stopped at once by a repeated ", number, " after training ended");
      break;
  }
  ::_exit(128 + number);
}

// Returns true for the first request.
bool record_stop_request(int number, std::int64_t now, std::int64_t& first) {
  first = 0;
  if (!stop_requested_at.compare_exchange_strong(first, now)) return false;
  stop_signal_number = number;
  return true;
}

void on_stop(int number) {
  if (phase == Phase::starting) leave_at_once(number);
  const std::int64_t now = now_nanoseconds();
  std::int64_t first = 0;
  if (record_stop_request(number, now, first)) return;
  if (now - first > kRepeatNanoseconds) leave_at_once(number);
}

// A closing terminal may send the signal several times, from the shell and from the kernel, and a
// CPU time limit sends its signal every second, so a repeat never means "exit at once".
void on_repeated_stop(int number) {
  if (phase == Phase::starting) leave_at_once(number);
  std::int64_t first = 0;
  record_stop_request(number, now_nanoseconds(), first);
}

void on_save(int number) {
  if (phase != Phase::starting) {
    save_requested = true;
    return;
  }
  write_line("", number, ": nothing to save before the first update");
}

// Batch systems may be configured to send these; by default they would kill the process silently.
void on_other(int number) {
  write_line("", number, " has no effect: use SIGUSR1 to save, SIGTERM to save and exit");
}

void enter(Phase next) {
  stop_signal_number = 0;
  stop_requested_at = 0;
  save_requested = false;
  phase = next;
}

// Sets the phase before the handlers can run in it.
SignalHandlers handle_stops_in(Phase next) {
  enter(next);
  return {{SIGTERM, SIGINT}, on_stop};
}

}  // namespace

SignalHandlers::SignalHandlers(std::initializer_list<int> numbers,
                               void (*handler)(int),
                               bool honours_ignored) {
  replaced_.reserve(numbers.size());
  for (int number : numbers) {
    Replaced replaced{number, {}};
    sigaction(number, nullptr, &replaced.action);
    if (honours_ignored && replaced.action.sa_handler == SIG_IGN) continue;
    struct sigaction next = {};
    next.sa_handler = handler;
    next.sa_flags = SA_RESTART;
    sigaction(number, &next, nullptr);
    replaced_.push_back(replaced);
  }
}

SignalHandlers::~SignalHandlers() {
  for (const Replaced& replaced : replaced_)
    sigaction(replaced.number, &replaced.action, nullptr);
}

StartupSignals::StartupSignals()
    : stop_(handle_stops_in(Phase::starting)),
      hang_up_({SIGHUP, SIGXCPU}, on_repeated_stop, /*honours_ignored=*/true),
      save_({SIGUSR1}, on_save),
      others_({SIGUSR2, SIGALRM}, on_other, /*honours_ignored=*/true),
      failed_writes_({SIGPIPE, SIGXFSZ}, SIG_IGN) {}

SignalWatch::Handlers::Handlers()
    : stop(handle_stops_in(Phase::training)),
      hang_up({SIGHUP, SIGXCPU}, on_repeated_stop, /*honours_ignored=*/true),
      save({SIGUSR1}, on_save) {}

void SignalWatch::begin() {
  if (!handlers_) handlers_.emplace();
}

// Keeps a request made during training, so that its repeats within a second do not end a process
// that is about to exit.
SignalWatch::~SignalWatch() {
  if (handlers_) phase = Phase::ended;
}

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
