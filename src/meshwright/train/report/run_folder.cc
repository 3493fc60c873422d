// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/report/run_folder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <random>
#include <utility>

#include <unistd.h>

#include "meshwright/base/error.h"
#include "meshwright/base/error_with_remedy.h"
#include "meshwright/base/log.h"
#include "meshwright/checkpoint/format/manifest_writer.h"
#include "meshwright/checkpoint/format/step_folders.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/run/run_files.h"
#include "meshwright/checkpoint/run/steps.h"
#include "meshwright/data/text/kept_tokenizer.h"
#include "meshwright/io/path.h"
#include "meshwright/train/report/earlier_configs.h"
#include "meshwright/train/report/sink_config.h"

namespace meshwright::train {
namespace {

using checkpoint::kCheckpoints;
using checkpoint::kRunConfig;
using io::join_path;

constexpr const char* kLock = "lock";
constexpr const char* kRunId = "run_id";
constexpr std::size_t kMaxIdBytes = 64;
constexpr std::uint64_t kMaxNoteBytes = 4096;
constexpr std::uint64_t kMaxCopiedBytes = std::uint64_t{1} << 30;
// Moved away with an earlier run, besides the files of sinks.
constexpr std::array kOfEarlierRuns = {kCheckpoints,
                                       "traces",
                                       "outputs",
                                       "non_finite",
                                       kRunConfig,
                                       "params.txt",
                                       "trainer_state_tree.txt",
                                       kWentBackTo,
                                       kRunId};

// Returns the first line of a small file; empty if it cannot be read.
std::string first_line(const io::FileSystem& files, std::string_view path) {
  try {
    const std::string text = read_text(files, path, kMaxNoteBytes);
    return text.substr(0, text.find('\n'));
  } catch (const Error&) {
    return "";
  }
}

std::string this_process() {
  char host[256] = {};
  gethostname(host, sizeof(host) - 1);
  return str("process ", getpid(), " on ", host, '\n');
}

bool is_id(std::string_view text) {
  const auto may_be_in_it = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return !text.empty() && text.size() <= kMaxIdBytes && std::ranges::all_of(text, may_be_in_it);
}

std::string new_id() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr int kNumDigits = 32;
  std::random_device random;
  std::uniform_int_distribution<std::size_t> digit(0, kDigits.size() - 1);
  std::string out;
  for (int i = 0; i < kNumDigits; ++i)
    out += kDigits[digit(random)];
  return out;
}

// Returns the id in the newest checkpoint that has one; empty if none has.
std::string id_of_checkpoints(const Files& run) {
  std::string out;
  std::int64_t newest = -1;
  for (const checkpoint::Format* format : checkpoint::formats()) {
    for (const auto& entry : checkpoint::steps_of_format(*format, run, kCheckpoints)) {
      if (entry.step <= newest) continue;
      newest = entry.step;
      out = checkpoint::find_run(*run, entry.folder).value_or("");
    }
  }
  return out;
}

// Returns the first of earlier.1, earlier.2, ... that does not exist.
std::string next_aside(const io::FileSystem& run) {
  int number = 1;
  while (run.find(str("earlier.", number)))
    ++number;
  return str("earlier.", number);
}

[[noreturn]] void fail_to_write(ErrorCode code, const std::string& path, const std::string& cause) {
  const bool may_work_later =
      code == ErrorCode::unavailable || code == ErrorCode::resource_exhausted;
  fail(may_work_later ? code : ErrorCode::invalid_argument, "the run's folder ", path, ": ", cause,
       "\nto use another folder: dir=PATH");
}

Files hold(const std::string& path) {
  try {
    return io::hold_folder(path);
  } catch (const Error& error) {
    fail_to_write(error.code(), path, error.message());
  }
}

}  // namespace

std::optional<std::int64_t> step_gone_back_to(const io::FileSystem& run) {
  const std::string text = first_line(run, kWentBackTo);
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), step);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return step;
}

RunFolder::RunFolder(const std::filesystem::path& path)
    : path_(path.string()), files_(hold(path_)) {
  checkpoint::check_checkpoints_folder(*files_);
  take_lock();
}

void RunFolder::take_lock() {
  std::unique_ptr<io::FileLock> taken;
  try {
    taken = files_->lock(kLock, this_process());
  } catch (const Error& error) {
    fail_to_write(error.code(), path_, error.message());
  }
  if (taken) {
    lock_ = std::move(taken);
    return;
  }
  const std::string holder = first_line(*files_, kLock);
  fail_to_write(ErrorCode::invalid_argument, path_,
                str("it is in use by ", holder.empty() ? "another process" : holder));
}

Files RunFolder::checkpoints() {
  if (!checkpoints_) {
    checkpoint::check_checkpoints_folder(*files_);
    checkpoints_ = hold(name(kCheckpoints));
  }
  return checkpoints_;
}

const std::string& RunFolder::id() {
  if (!id_.empty()) return id_;
  std::string there = first_line(*files_, kRunId);
  if (!is_id(there)) {
    there = id_of_checkpoints(files_);
    if (is_id(there)) {
      log_info("the run's id is missing from ", name(kRunId),
               "; using that of its newest checkpoint");
    } else {
      there = new_id();
    }
    write_text(kRunId, there + '\n');
  }
  return id_ = there;
}

void RunFolder::write_text(const std::string& name, std::string_view text) const {
  files_->make_folder(io::parent_of(name));
  replace_text(*files_, name, text);
}

void RunFolder::set_earlier_runs_aside() const {
  const std::string aside = next_aside(*files_);
  bool is_made = false;
  std::vector<std::string> names(kOfEarlierRuns.begin(), kOfEarlierRuns.end());
  names.insert(names.end(), data::kKeptFiles.begin(), data::kKeptFiles.end());
  for (std::string& name : files_of_sinks())
    names.push_back(std::move(name));
  for (std::string& name : earlier_configs(*files_))
    names.push_back(std::move(name));
  for (const std::string& name : names) {
    if (!files_->find(name)) continue;
    if (!is_made) files_->make_folder(aside);
    is_made = true;
    files_->rename(name, join_path(aside, name));
  }
  if (is_made) log_info("the earlier run in ", path_, " is now in ", name(aside));
}

std::string RunFolder::set_checkpoints_aside(const std::vector<std::string>& names) const {
  const std::string aside = next_aside(*files_);
  const std::string there = join_path(aside, kCheckpoints);
  files_->make_folder(there);
  // With these files, that folder can be evaluated and continued like this one.
  std::vector<std::string> copied = {kRunConfig, kRunId};
  copied.insert(copied.end(), data::kKeptFiles.begin(), data::kKeptFiles.end());
  for (const std::string& file : copied)
    if (io::is_file(*files_, file))
      io::write_text(*files_, join_path(aside, file), read_text(*files_, file, kMaxCopiedBytes));
  for (const std::string& name : names)
    files_->rename(join_path(kCheckpoints, name), join_path(there, name));
  return name(aside);
}

void RunFolder::record_step_gone_back_to(std::int64_t step) const {
  write_text(kWentBackTo, str(step, '\n'));
}

void RunFolder::check_in_place() {
  check_folders();
  if (lock_->is_in_place()) return;
  try {
    take_lock();
  } catch (const Error& error) {
    check_folders();
    fail(ErrorCode::no_checkpoint, "the run's lock ", name(kLock),
         " was removed during the run: ", error.message());
  }
  log_warning("the run's lock ", name(kLock), " was removed and has been restored");
}

io::RootState RunFolder::state_of_checkpoints() const {
  io::RootState out = checkpoints_ ? checkpoints_->root_state() : io::RootState{};
  if (!checkpoints_ || out.kind != io::RootState::Kind::in_place) return out;
  // A link to their new location would work now, but the next start does not follow it.
  const std::optional<io::FileInfo> named = files_->find(kCheckpoints);
  if (named && named->kind != io::FileKind::folder)
    return {.kind = io::RootState::Kind::moved, .is_name_taken = true};
  return out;
}

io::RootState RunFolder::state() const {
  const io::RootState root = files_->root_state();
  return root == io::RootState{} ? state_of_checkpoints() : root;
}

void RunFolder::check_folders() const {
  using Kind = io::RootState::Kind;
  const io::RootState root = files_->root_state();
  const bool is_root = root != io::RootState{};
  const io::RootState now = is_root ? root : state_of_checkpoints();
  const std::string what = is_root
                               ? str("the run's folder ", path_)
                               : str("the folder of the checkpoints, ", name(kCheckpoints), ",");
  const std::string_view other =
      now.is_name_taken ? "; another file or folder now has that name" : "";
  switch (now.kind) {
    case Kind::moved:
      fail(ErrorCode::no_checkpoint, what, " was moved during the run",
           now.now_at.empty() ? "" : str(", to ", now.now_at), other,
           "\nto continue from what was saved: ",
           is_root ? str("dir=", now.now_at.empty() ? "PATH" : now.now_at) : "move it back");
    case Kind::removed:
    case Kind::replaced:
      fail(ErrorCode::no_checkpoint, what, " was removed during the run",
           is_root ? ", and its checkpoints with it" : "", other,
           "\na restart there would begin at step 0");
    case Kind::in_place:
      return;
  }
}

void RunFolder::check_no_steps_elsewhere() const {
  const std::optional<std::string> found = checkpoint::find_trace_elsewhere(files_, kCheckpoints);
  if (!found) return;
  fail_with_remedy(ErrorCode::no_checkpoint, start_fresh("anyway"), "there is no checkpoint in ",
                   name(kCheckpoints), ", but there is ", name(*found),
                   "\nto continue from it, move it there");
}

}  // namespace meshwright::train
