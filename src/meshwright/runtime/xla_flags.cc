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
#include "meshwright/runtime/plugin_environment.h"

namespace meshwright::runtime {
namespace {

constexpr int kTimeoutMilliseconds = 20'000;
constexpr std::size_t kEnoughBytes = 4096;  // XLA may go on with a list of a thousand flags

/// Options of a client that takes little.
std::vector<pjrt::NamedValue> smallest(std::string_view platform) {
  if (platform == "cpu") return {{"cpu_device_count", std::int64_t{1}}};
  if (platform == "cuda") return {{"preallocate", false}};
  return {};
}

[[noreturn]] void make_client(const pjrt::Plugin& plugin, std::string_view platform, int out) {
  ::dup2(out, STDERR_FILENO);
  try {
    pjrt::Client client(plugin, smallest(platform));
  } catch (...) {  // is thrown again where there is somebody to tell
  }
  ::_exit(0);
}

/// What is written until the end, the time or enough bytes are reached.
std::string read_some(int in) {
  std::string text;
  std::array<char, 1024> piece;
  pollfd wait{.fd = in, .events = POLLIN, .revents = 0};
  while (text.size() < kEnoughBytes && ::poll(&wait, 1, kTimeoutMilliseconds) > 0) {
    ssize_t count = ::read(in, piece.data(), piece.size());
    if (count <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
  return text;
}

/// What a process writes to stderr that makes a client and ends.
std::string words_of_a_client(const pjrt::Plugin& plugin, std::string_view platform) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return "";
  pid_t child = ::fork();
  if (child == 0) make_client(plugin, platform, ends[1]);
  ::close(ends[1]);
  std::string text = child > 0 ? read_some(ends[0]) : "";
  ::close(ends[0]);
  if (child > 0) {
    ::kill(child, SIGKILL);  // has ended, or has said enough
    ::waitpid(child, nullptr, 0);
  }
  return text;
}

}  // namespace

std::string xla_flags_complaint(std::string_view written) {
  for (std::string_view sign :
       {"Unknown flag", "Couldn't interpret value", "Could not open file"}) {
    auto start = written.find(sign);
    if (start == std::string_view::npos) continue;
    return std::string(written.substr(start, written.find('\n', start) - start));
  }
  return written.find("parse_flags_from_env") == std::string_view::npos ? ""
                                                                        : "it cannot be parsed";
}

void check_xla_flags(const pjrt::Plugin& plugin, std::string_view platform) {
  std::string complaint = xla_flags_complaint(words_of_a_client(plugin, platform));
  if (complaint.empty()) return;
  if (xla_flags_of_user().empty())
    fail(ErrorCode::device, "the plugin ", plugin.path(), " refuses what it is told: ", complaint,
         "\nfetch the pinned plugin: tools/fetch_xla, or name another: --plugin PATH");
  fail(ErrorCode::invalid_argument, "XLA refuses XLA_FLAGS: ", complaint,
       "\nmend or unset XLA_FLAGS; a plugin of another version knows other flags");
}

}  // namespace meshwright::runtime
