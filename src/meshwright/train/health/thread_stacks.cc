// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/health/thread_stacks.h"

#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "meshwright/base/str.h"

namespace meshwright::train {
namespace {

constexpr int kMaxFrames = 64;
constexpr auto kPatience = std::chrono::seconds(1);

// Where an interrupted thread stores its stack. One thread is asked at a time; the id distinguishes
// a late answer from the expected one.
struct Answer {
  std::array<void*, kMaxFrames> frames;
  int num_frames = 0;
};
Answer answer;
std::atomic<int> asked{0};     // the thread asked
std::atomic<int> answered{0};  // the thread that has answered

int signal_number() {
  return SIGRTMIN + 3;  // glibc uses the first two
}

int this_thread() {
  return static_cast<int>(syscall(SYS_gettid));
}

void on_ask(int) {
  const int saved_errno = errno;
  int self = this_thread();
  if (asked.exchange(0) == self) {
    answer.num_frames = backtrace(answer.frames.data(), kMaxFrames);
    answered.store(self);
  }
  errno = saved_errno;
}

std::vector<int> all_threads() {
  std::vector<int> out;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", ignored))
    out.push_back(std::atoi(entry.path().filename().c_str()));
  return out;
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Returns false if the thread did not answer.
bool ask(int thread) {
  answered = 0;
  asked = thread;
  if (syscall(SYS_tgkill, getpid(), thread, signal_number()) != 0) return false;
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (answered != thread) {
    if (std::chrono::steady_clock::now() > deadline) {
      // Either it will not write any more, or it is writing right now.
      if (asked.exchange(0) == thread) return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// Returns the distance of `address` from `base` as text such as "+0x1a".
std::string offset_text(const void* address, const void* base) {
  const std::uintptr_t offset =
      reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(base);
  std::array<char, 2 * sizeof(offset)> digits = {};
  const auto end = std::to_chars(digits.begin(), digits.end(), offset, 16);
  return str("+0x", std::string_view(digits.data(), end.ptr));
}

// Returns text such as ">>> function+0x1a (module+0x5581)". addr2line takes the offset in the
// module.
std::string describe(void* address) {
  Dl_info info = {};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return ">>> ?";
  const std::string place = str("(", info.dli_fname, offset_text(address, info.dli_fbase), ")");
  if (info.dli_sname == nullptr) return ">>> " + place;
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status), &std::free);
  return str(">>> ", status == 0 ? plain.get() : info.dli_sname,
             offset_text(address, info.dli_saddr), " ", place);
}

std::string describe_thread(int thread) {
  std::string folder = str("/proc/self/task/", thread);
  std::string out = str("Thread: ", first_line(folder + "/comm"), "(", thread, ")");
  std::string waits_in = first_line(folder + "/wchan");
  if (!waits_in.empty() && waits_in != "0") out += str(" waiting in ", waits_in);
  out += '\n';
  if (!ask(thread)) return out + ">>> (no answer: stuck in the kernel, or ended)\n";
  // The first two frames are the handler and its caller.
  for (int i = 2; i < answer.num_frames; ++i)
    out += describe(answer.frames[static_cast<std::size_t>(i)]) + '\n';
  return out;
}

}  // namespace

void prepare_thread_stacks() {
  std::array<void*, 1> frame;
  backtrace(frame.data(), 1);
  struct sigaction action = {};
  action.sa_handler = on_ask;
  action.sa_flags = SA_RESTART;
  sigaction(signal_number(), &action, nullptr);
}

std::string thread_stacks() {
  static std::mutex one_at_a_time;
  std::lock_guard lock(one_at_a_time);
  std::string out;
  for (int thread : all_threads())
    out += describe_thread(thread);
  return out;
}

}  // namespace meshwright::train
