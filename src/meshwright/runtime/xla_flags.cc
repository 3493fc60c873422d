// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/xla_flags.h"

#include <array>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "meshwright/base/error.h"
#include "meshwright/pjrt/client.h"
#include "meshwright/pjrt/plugin_remedy.h"
#include "meshwright/runtime/plugin_environment.h"

namespace meshwright::runtime {
namespace {

constexpr int kTimeoutMilliseconds = 20'000;
constexpr std::size_t kEnoughBytes = 4096;  // XLA may continue with a list of a thousand flags

/// Returns the options of a minimal client.
std::vector<pjrt::NamedValue> smallest(std::string_view platform) {
  if (platform == "cpu") return {{"cpu_device_count", std::int64_t{1}}};
  if (platform == "cuda") return {{"preallocate", false}};
  return {};
}

[[noreturn]] void use_and_end(const std::function<void()>& first_use, int out) {
  ::dup2(out, STDERR_FILENO);
  try {
    first_use();
  } catch (...) {  // recurs in this process, where it is reported
  }
  ::_exit(0);
}

/// Returns the text from XLA's complaint onwards; empty if there is none.
std::string_view from_complaint(std::string_view written) {
  for (std::string_view sign :
       {"Unknown flag", "Couldn't interpret value", "Could not open file"}) {
    auto start = written.find(sign);
    if (start != std::string_view::npos) return written.substr(start);
  }
  return {};
}

/// Reads until a complaint, the end, the timeout or enough bytes. A process that has complained may
/// still hang, as with libtpu.
std::string read_some(int in) {
  std::string text;
  std::array<char, 1024> piece;
  pollfd wait{.fd = in, .events = POLLIN, .revents = 0};
  while (text.size() < kEnoughBytes && ::poll(&wait, 1, kTimeoutMilliseconds) > 0) {
    ssize_t count = ::read(in, piece.data(), piece.size());
    if (count <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(count));
    if (from_complaint(text).find('\n') != std::string_view::npos) break;
  }
  return text;
}

/// Runs the function in a forked process and returns what it writes to stderr.
std::string words_of(const std::function<void()>& first_use) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return "";
  pid_t child = ::fork();
  if (child == 0) use_and_end(first_use, ends[1]);
  ::close(ends[1]);
  std::string text = child > 0 ? read_some(ends[0]) : "";
  ::close(ends[0]);
  if (child > 0) {
    ::kill(child, SIGKILL);  // it has ended or written enough
    ::waitpid(child, nullptr, 0);
  }
  return text;
}

}  // namespace

std::string xla_flags_complaint(std::string_view written) {
  if (std::string_view complaint = from_complaint(written); !complaint.empty())
    return std::string(complaint.substr(0, complaint.find('\n')));
  return written.find("parse_flags_from_env") == std::string_view::npos ? ""
                                                                        : "it cannot be parsed";
}

void check_xla_flags(const pjrt::Plugin& plugin, const std::function<void()>& first_use) {
  std::string complaint = xla_flags_complaint(words_of(first_use));
  if (complaint.empty()) return;
  if (xla_flags_of_user().empty())
    fail_with_remedy(ErrorCode::device, pjrt::name_another_plugin(), "the plugin ", plugin.path(),
                     " rejects Meshwright's XLA flags: ", complaint,
                     "\nfetch the pinned plugin: tools/fetch_xla");
  fail(ErrorCode::invalid_argument, "XLA rejects XLA_FLAGS: ", complaint,
       "\nfix or unset XLA_FLAGS; flags differ between plugin versions");
}

void check_xla_flags(const pjrt::Plugin& plugin, std::string_view platform) {
  check_xla_flags(plugin, [&] { pjrt::Client client(plugin, smallest(platform)); });
}

}  // namespace meshwright::runtime
