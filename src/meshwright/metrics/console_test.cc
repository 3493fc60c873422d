// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/console.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace meshwright::metrics {
namespace {

using testing::HasSubstr;

// Makes stderr a terminal of this kind (TERM) while it lives.
class ScopedTerminal {
 public:
  explicit ScopedTerminal(const char* kind) : ours_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    if (const char* before = std::getenv("TERM")) kind_before_ = before;
    ::setenv("TERM", kind, /*replace=*/1);
    if (ours_ < 0) return;
    ::grantpt(ours_);
    ::unlockpt(ours_);
    const int theirs = ::open(::ptsname(ours_), O_RDWR | O_NOCTTY);
    ::dup2(theirs, STDERR_FILENO);
    ::close(theirs);
  }
  ~ScopedTerminal() {
    std::fflush(stderr);
    ::dup2(stderr_before_, STDERR_FILENO);
    ::close(stderr_before_);
    ::close(ours_);
    ::setenv("TERM", kind_before_.c_str(), /*replace=*/1);
  }
  ScopedTerminal(const ScopedTerminal&) = delete;
  ScopedTerminal& operator=(const ScopedTerminal&) = delete;

  // Some containers have no terminals.
  bool is_there() const { return ::isatty(STDERR_FILENO) == 1 && ours_ >= 0; }
  void resize(unsigned short width) const {
    const winsize size{.ws_row = 24, .ws_col = width, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(ours_, TIOCSWINSZ, &size);
  }
  // Returns the output since the last call; there must be some.
  std::string written() const {
    std::fflush(stderr);
    char text[4096];
    const ssize_t size = ::read(ours_, text, sizeof(text));
    return {text, static_cast<std::size_t>(size < 0 ? 0 : size)};
  }

 private:
  int stderr_before_ = ::dup(STDERR_FILENO);
  int ours_;
  std::string kind_before_;
};

TEST(TerminalWidth, IsThatOfStderr) {
  const ScopedTerminal terminal("xterm");
  if (!terminal.is_there()) GTEST_SKIP() << "no pseudo-terminals here";
  terminal.resize(61);
  EXPECT_EQ(terminal_width(), 61);
}

TEST(TerminalWidth, IsNoneWhereLinesAreAllThatCanBeWritten) {
  const ScopedTerminal terminal("dumb");
  if (!terminal.is_there()) GTEST_SKIP() << "no pseudo-terminals here";
  terminal.resize(61);
  EXPECT_EQ(terminal_width(), std::nullopt);
}

TEST(Console, ItsBarFitsATerminalThatBecomesNarrower) {
  const ScopedTerminal terminal("xterm");
  if (!terminal.is_there()) GTEST_SKIP() << "no pseudo-terminals here";
  terminal.resize(80);
  ConsoleSink sink({.max_step = 10});
  sink.write({.step = 5, .wall_seconds = 1});
  EXPECT_THAT(terminal.written(), HasSubstr("] 50%  step 5/10"));
  terminal.resize(30);
  sink.write({.step = 6, .wall_seconds = 2});
  EXPECT_EQ(terminal.written(), "\r\x1b[K" + progress_bar(6, 10, "n/a", 30));
}

}  // namespace
}  // namespace meshwright::metrics
