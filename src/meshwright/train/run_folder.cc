// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/run_folder.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "meshwright/base/error.h"
#include "meshwright/base/log.h"

namespace meshwright::train {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLock = "lock";
constexpr const char* kConfig = "config.toml";
constexpr std::array kOfEarlierRuns = {
    "checkpoints", "summaries",  "metrics.jsonl",          "traces",       "outputs", "non_finite",
    kConfig,       "params.txt", "trainer_state_tree.txt", "went_back_to", "wandb",   "wandb_id"};

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string this_process() {
  char host[256] = {};
  gethostname(host, sizeof(host) - 1);
  return str("process ", getpid(), " on ", host, '\n');
}

// The first of earlier.1, earlier.2, ... that is not there.
fs::path next_aside(const fs::path& run) {
  int number = 1;
  while (fs::exists(run / str("earlier.", number)))
    ++number;
  return run / str("earlier.", number);
}

[[noreturn]] void fail_to_write(const fs::path& path, const std::string& cause) {
  fail(ErrorCode::invalid_argument, "the run's folder ", path.string(), ": ", cause,
       "\nanother one: dir=PATH");
}

}  // namespace

std::optional<std::int64_t> step_gone_back_to(const fs::path& folder) {
  std::int64_t step = 0;
  if (!(std::ifstream(run_went_back_to(folder)) >> step)) return std::nullopt;
  return step;
}

RunFolder::RunFolder(fs::path path) : path_(std::move(path)) {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) fail_to_write(path_, error.message());
  const fs::path lock = path_ / kLock;
  lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) fail_to_write(path_, std::strerror(errno));
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    std::string holder = first_line(lock);
    ::close(lock_);
    fail_to_write(path_, str("it is in use by ", holder.empty() ? "another process" : holder));
  }
  const std::string self = this_process();
  if (ftruncate(lock_, 0) != 0 || ::pwrite(lock_, self.data(), self.size(), 0) < 0) {
    warn("writing ", lock.string(), ": ", std::strerror(errno));
  }
}

RunFolder::~RunFolder() {
  ::close(lock_);
}

void RunFolder::write_text(const std::string& name, std::string_view text) const {
  const fs::path temporary = path_ / (name + ".unfinished");
  std::error_code error;
  fs::create_directories(temporary.parent_path(), error);
  std::ofstream file(temporary, std::ios::binary);
  file << text;
  file.close();
  if (file) fs::rename(temporary, path_ / name, error);
  if (!file || error) {
    fail(ErrorCode::unavailable, "writing ", (path_ / name).string(), ": ",
         error ? error.message() : std::string("the disk may be full"));
  }
}

void RunFolder::set_earlier_runs_aside() const {
  const fs::path aside = next_aside(path_);
  for (const char* name : kOfEarlierRuns) {
    if (!fs::exists(path_ / name)) continue;
    fs::create_directories(aside);
    fs::rename(path_ / name, aside / name);
  }
  if (fs::exists(aside)) note("the earlier run in ", path_.string(), " is now in ", aside.string());
}

fs::path RunFolder::set_checkpoints_aside(const std::vector<fs::path>& folders) const {
  fs::path aside = next_aside(path_);
  fs::create_directories(run_checkpoints(aside));
  for (const fs::path& folder : folders)
    fs::rename(folder, run_checkpoints(aside) / folder.filename());
  // With it, that folder can be evaluated and continued like this one.
  if (fs::exists(path_ / kConfig)) fs::copy_file(path_ / kConfig, aside / kConfig);
  return aside;
}

void RunFolder::note_step_gone_back_to(std::int64_t step) const {
  write_text(run_went_back_to(path_).filename().string(), str(step, '\n'));
}

}  // namespace meshwright::train
