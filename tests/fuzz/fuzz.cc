// SPDX-License-Identifier: Apache-2.0
// Searches for inputs that break a reader: mutates the corpus at random and continues from inputs
// that reach new code.
//
// usage: fuzz SECONDS FOLDER [TARGET [SEED]]
//
// All targets share the time. The current input is in FOLDER/TARGET, so that it survives a crash or
// a hang; add it to corpus/TARGET with the fix.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "corpus.h"
#include "coverage.h"
#include "meshwright/base/error.h"
#include "mutation.h"
#include "target.h"

namespace meshwright::fuzz {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMaxBytes = 8192;  // more than a mutation returns
constexpr unsigned kSecondsPerInput = 10;

/// A file whose content can be changed without a system call and that outlives the process.
class CurrentInput {
 public:
  explicit CurrentInput(std::filesystem::path path) : path_(std::move(path)) {
    int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0 || ::ftruncate(file, kMaxBytes) != 0)
      fail(ErrorCode::unavailable, "cannot write ", path_.string());
    void* memory = ::mmap(nullptr, kMaxBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (memory == MAP_FAILED) fail(ErrorCode::unavailable, "cannot map ", path_.string());
    memory_ = static_cast<char*>(memory);
  }
  ~CurrentInput() { ::munmap(memory_, kMaxBytes); }
  CurrentInput(const CurrentInput&) = delete;
  CurrentInput& operator=(const CurrentInput&) = delete;

  /// Sets the bytes, followed by zeros.
  void set(const std::string& bytes) {
    std::memcpy(memory_, bytes.data(), bytes.size());
    std::memset(memory_ + bytes.size(), 0, kMaxBytes - bytes.size());
  }
  /// Truncates the file to exactly these bytes.
  void keep(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }
  void remove() { std::filesystem::remove(path_); }

 private:
  std::filesystem::path path_;
  char* memory_ = nullptr;
};

struct Session {
  std::filesystem::path folder;
  double seconds = 0;
  std::uint64_t seed = 0;
};

bool survives(const Target& target, const Session& session) {
  CurrentInput current(session.folder / target.name);
  std::vector<std::string> inputs = corpus(target.name);
  std::size_t num_kept = inputs.size();
  for (const std::string& bytes : inputs)
    finding(target, bytes);
  take_new_coverage();
  Mutator mutator(session.seed);
  std::int64_t num_read = 0;
  auto end = Clock::now() + std::chrono::duration<double>(session.seconds);
  for (; Clock::now() < end; ++num_read) {
    std::string bytes = mutator.mutated(inputs);
    current.set(bytes);
    ::alarm(kSecondsPerInput);  // the default action ends the process
    std::string complaint = finding(target, bytes);
    ::alarm(0);
    if (!complaint.empty()) {
      current.keep(bytes);
      std::printf("%s: %s\n  of the input in %s\n", std::string(target.name).c_str(),
                  complaint.c_str(), (session.folder / target.name).c_str());
      return false;
    }
    if (take_new_coverage()) inputs.push_back(std::move(bytes));
  }
  current.remove();
  std::printf("%s: %lld inputs, %zu of them reached new code\n", std::string(target.name).c_str(),
              static_cast<long long>(num_read), inputs.size() - num_kept);
  return true;
}

int run(int argc, char** argv) {
  if (argc < 3) fail(ErrorCode::invalid_argument, "usage: fuzz SECONDS FOLDER [TARGET [SEED]]");
  Session session{.folder = argv[2],
                  .seconds = std::stod(argv[1]),
                  .seed = argc > 4 ? std::stoull(argv[4]) : std::random_device()()};
  std::vector<Target> chosen;
  for (const Target& target : targets()) {
    if (argc < 4 || target.name == argv[3]) chosen.push_back(target);
  }
  if (chosen.empty()) fail(ErrorCode::not_found, "no target '", argv[3], "'");
  std::filesystem::create_directories(session.folder);
  session.seconds /= static_cast<double>(chosen.size());
  std::printf("seed %llu\n", static_cast<unsigned long long>(session.seed));
  bool all = true;
  for (const Target& target : chosen)
    all = survives(target, session) && all;
  return all ? 0 : 1;
}

}  // namespace
}  // namespace meshwright::fuzz

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    return meshwright::fuzz::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fuzz: %s\n", error.what());
    return 2;
  }
}
