// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/manager.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "meshwright/base/log.h"
#include "meshwright/checkpoint/step_folders.h"
#include "meshwright/io/path.h"
#include "meshwright/io/retry.h"

namespace meshwright::checkpoint {
namespace {

// Those that an earlier run of the program set aside: work was done here.
bool has_damaged(const Format& format, const io::FileSystem& files) {
  if (!files.find("")) return false;
  return std::ranges::any_of(files.list(""), [&](const io::FolderEntry& entry) {
    std::string_view name = entry.name;
    return name.starts_with(kDamaged) && format.find_step(name.substr(kDamaged.size()));
  });
}

// For those who only read, whatever it was written in.
const Format& format_there(const Files& files) {
  const Format* found = find_format_of_run(files, "");
  return found != nullptr ? *found : format_named("native");
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

Manager::Manager(ManagerOptions options)
    : options_(std::move(options)),
      files_(io::open_file_system(options_.folder.string())),
      format_(options_.read_only ? format_there(files_) : format_named(options_.format)),
      writer_(1) {
  if (options_.read_only) return;
  files_->make_folder("");
  check_format();
  recover(format_, files_, "");
}

// The folders of steps have the same names in several formats; ours must not be put between, and
// theirs are no damaged ones of ours.
void Manager::check_format() const {
  for (const Format* other : formats()) {
    if (other == &format_) continue;
    for (const StepEntry& entry : list_steps(*other, files_, "")) {
      MW_CHECK(format_.is_step(files_, entry.folder) || !other->is_step(files_, entry.folder),
               "checkpoint: ", files_->full_name(entry.folder), " is in the format '",
               other->name(), "', and this run saves in '", format_.name(),
               "'\nto continue those: checkpoint.format=", other->name());
    }
  }
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
    write_step(format_, files_, "", *shared);
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
  return std::ranges::binary_search(steps(), step);
}

void Manager::apply_retention() const {
  std::vector<StepEntry> entries = committed();
  std::vector<std::int64_t> old = steps_to_remove(steps(), options_.retention);
  for (const StepEntry& entry : entries) {
    bool is_old = std::ranges::binary_search(old, entry.step);
    if (!is_old || files_->find(io::join_path(entry.folder, kPinned))) continue;
    try {
      format_.remove(files_, entry.folder);
    } catch (const Error& error) {
      warn("removing the checkpoint of step ", entry.step, ": ", error.what());
    }
  }
}

std::vector<StepEntry> Manager::committed() const {
  std::vector<StepEntry> out = list_steps(format_, files_, "");
  std::erase_if(out, [](const StepEntry& entry) { return !entry.is_committed; });
  return out;
}

std::vector<std::int64_t> Manager::steps() const {
  std::vector<std::int64_t> out;
  for (const StepEntry& entry : committed())
    out.push_back(entry.step);
  return out;
}

void Manager::use(std::int64_t step, const Use& take) const {
  std::vector<StepEntry> all = committed();
  auto entry = std::ranges::find(all, step, &StepEntry::step);
  if (entry == all.end()) {
    fail(ErrorCode::not_found, files_->full_name(""), ": holds no checkpoint of step ", step);
  }
  io::retry(str("restoring step ", step), {}, [&] {
    Stored stored = format_.open(files_, entry->folder);
    if (stored.step != step) {
      fail(ErrorCode::data_loss, files_->full_name(entry->folder), " is a checkpoint of step ",
           stored.step);
    }
    take(stored);
  });
}

std::optional<std::int64_t> Manager::use_newest(const Use& take,
                                                std::optional<std::int64_t> up_to) {
  wait();
  std::vector<StepEntry> all = committed();
  if (up_to) std::erase_if(all, [&](const StepEntry& entry) { return entry.step > *up_to; });
  for (auto entry = all.rbegin(); entry != all.rend(); ++entry) {
    try {
      use(entry->step, take);
      return entry->step;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::data_loss) throw;
      warn("the checkpoint of step ", entry->step,
           " is damaged; an older one is taken: ", error.what());
      if (!options_.read_only) set_aside(*files_, entry->folder);
    }
  }
  if (all.empty() && !has_damaged(format_, *files_)) return std::nullopt;
  fail(ErrorCode::no_checkpoint, "there are checkpoints in ", options_.folder.string(),
       ", but none can be used\nto begin anew, in spite of them: the option --fresh");
}

Contents Manager::restore(std::int64_t step) const {
  Contents out;
  use(step, [&](const Stored& stored) { out = read_contents(stored); });
  return out;
}

std::optional<Contents> Manager::restore_newest(std::optional<std::int64_t> up_to) {
  std::optional<Contents> out;
  use_newest([&](const Stored& stored) { out = read_contents(stored); }, up_to);
  return out;
}

void Manager::remove_after(std::int64_t step) {
  wait();
  for (const StepEntry& entry : committed()) {
    if (entry.step > step) format_.remove(files_, entry.folder);
  }
}

}  // namespace meshwright::checkpoint
