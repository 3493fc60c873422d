// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/manager.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "meshwright/base/log.h"
#include "meshwright/checkpoint/durable_files.h"
#include "meshwright/checkpoint/native_format.h"

namespace meshwright::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step_";
constexpr std::int64_t kMaxStep = 99'999'999;
// Ends of the names of folders that are no checkpoints.
constexpr std::string_view kUnfinished = ".unfinished";
constexpr std::string_view kDamaged = ".damaged";
// A file in a checkpoint that keeps it.
constexpr const char* kPinned = "PINNED";

std::string folder_name(std::int64_t step) {
  MW_CHECK(step >= 0 && step <= kMaxStep, "checkpoint: step ", step, " is not in 0 to ", kMaxStep);
  char text[32];
  std::snprintf(text, sizeof(text), "step_%08d", static_cast<int>(step));
  return text;
}

std::optional<std::int64_t> find_step(const std::string& name) {
  std::int64_t step = 0;
  if (!name.starts_with(kPrefix) || name.size() != kPrefix.size() + 8) return std::nullopt;
  const char* last = name.data() + name.size();
  auto [end, error] = std::from_chars(name.data() + kPrefix.size(), last, step);
  if (error != std::errc() || end != last || step < 0) return std::nullopt;
  return step;
}

// Other programs' files are not ours to touch, and links are not followed.
void remove_unfinished(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    std::string name = entry.path().filename().string();
    bool is_ours = name.starts_with(kPrefix) && name.ends_with(kUnfinished);
    if (is_ours && fs::is_directory(entry.symlink_status())) found.push_back(entry.path());
  }
  for (const fs::path& path : found)
    fs::remove_all(path);
}

void remove_checkpoint(const fs::path& path) {
  // The name goes first, so that a half removed checkpoint is none.
  fs::path doomed = path.string() + std::string(kUnfinished);
  std::error_code error;
  fs::remove_all(doomed, error);
  fs::rename(path, doomed, error);
  if (!error) fs::remove_all(doomed, error);
  if (error) warn("removing the checkpoint ", path.string(), ": ", error.message());
}

void set_aside(const fs::path& path) {
  fs::path aside = path.string() + std::string(kDamaged);
  std::error_code error;
  fs::remove_all(aside, error);
  fs::rename(path, aside, error);
  if (error) warn("renaming ", path.string(), ": ", error.message());
}

bool has_damaged(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with(kPrefix) && name.ends_with(kDamaged)) return true;
  }
  return false;
}

}  // namespace

std::vector<std::int64_t> steps_to_remove(const std::vector<std::int64_t>& steps,
                                          const Retention& retention) {
  std::vector<std::int64_t> out;
  if (!retention.keep_last_n) return out;
  auto num_newest = static_cast<std::size_t>(std::max<std::int64_t>(*retention.keep_last_n, 1));
  std::optional<std::int64_t> last_kept;
  for (std::size_t i = 0; i + num_newest < steps.size(); ++i) {
    bool is_kept = retention.keep_every_n_steps &&
                   (!last_kept || steps[i] - *last_kept >= *retention.keep_every_n_steps);
    if (is_kept) {
      last_kept = steps[i];
    } else {
      out.push_back(steps[i]);
    }
  }
  return out;
}

Manager::Manager(ManagerOptions options) : options_(std::move(options)), writer_(1) {
  if (options_.read_only) return;
  std::error_code error;
  fs::create_directories(options_.folder, error);
  if (error) {
    fail(ErrorCode::unavailable, "making the folder for checkpoints ", options_.folder.string(),
         ": ", error.message());
  }
  remove_unfinished(options_.folder);
}

fs::path Manager::path_of(std::int64_t step) const {
  return options_.folder / folder_name(step);
}

void Manager::save(Contents contents) {
  wait();
  if (num_failed_ >= options_.max_failed_saves) {
    fail(ErrorCode::unavailable, "checkpoint: the last ", num_failed_,
         " saves failed, and work would be lost\nmake room in ", options_.folder.string(),
         " and start the same command again");
  }
  writing_step_ = contents.step;
  auto shared = std::make_shared<const Contents>(std::move(contents));
  writer_.run([this, shared] {
    commit(*shared);
    apply_retention();
  });
}

void Manager::wait() {
  std::int64_t step = std::exchange(writing_step_, -1);
  try {
    writer_.join();
    if (step >= 0) num_failed_ = 0;
  } catch (const Error& error) {
    ++num_failed_;
    warn("the checkpoint of step ", step, " was not saved: ", error.what());
  }
}

bool Manager::has(std::int64_t step) {
  wait();
  return fs::exists(path_of(step));
}

void Manager::commit(const Contents& contents) const {
  fs::path final_path = path_of(contents.step);
  fs::path path = final_path.string() + std::string(kUnfinished);
  std::error_code error;
  fs::remove_all(path, error);
  if (!fs::create_directory(path, error)) {
    fail(ErrorCode::unavailable, "making the folder ", path.string(), ": ", error.message());
  }
  try {
    write_native(path, contents);
  } catch (const Error&) {
    fs::remove_all(path, error);  // the room it takes may be what the next save lacks
    throw;
  }
  if (fs::exists(final_path)) remove_checkpoint(final_path);
  rename_folder(path, final_path);
}

void Manager::apply_retention() const {
  for (std::int64_t step : steps_to_remove(steps(), options_.retention)) {
    if (!fs::exists(path_of(step) / kPinned)) remove_checkpoint(path_of(step));
  }
}

std::vector<std::int64_t> Manager::steps() const {
  std::vector<std::int64_t> out;
  if (options_.read_only && !fs::exists(options_.folder)) return out;
  for (const fs::directory_entry& entry : fs::directory_iterator(options_.folder)) {
    if (auto step = find_step(entry.path().filename().string())) out.push_back(*step);
  }
  std::ranges::sort(out);
  return out;
}

Contents Manager::restore(std::int64_t step) const {
  fs::path path = path_of(step);
  if (!fs::exists(path)) fail(ErrorCode::not_found, "no checkpoint ", path.string());
  Contents out = read_native(path);
  if (out.step != step)
    fail(ErrorCode::data_loss, path.string(), " is a checkpoint of step ", out.step);
  return out;
}

std::optional<Contents> Manager::restore_newest(std::optional<std::int64_t> up_to) {
  wait();
  std::vector<std::int64_t> all = steps();
  if (up_to) std::erase_if(all, [&](std::int64_t step) { return step > *up_to; });
  for (auto step = all.rbegin(); step != all.rend(); ++step) {
    try {
      return restore(*step);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::data_loss) throw;
      warn("the checkpoint of step ", *step, " is damaged; an older one is taken: ", error.what());
      if (!options_.read_only) set_aside(path_of(*step));
    }
  }
  // Those that an earlier run of the program set aside count: work was done here.
  if (all.empty() && !has_damaged(options_.folder)) return std::nullopt;
  fail(ErrorCode::no_checkpoint, "there are checkpoints in ", options_.folder.string(),
       ", but none can be used\nto begin anew, in spite of them: the option --fresh");
}

void Manager::remove_after(std::int64_t step) {
  wait();
  for (std::int64_t other : steps()) {
    if (other > step) remove_checkpoint(path_of(other));
  }
}

}  // namespace meshwright::checkpoint
