// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/manager/manager.h"

#include <algorithm>
#include <ctime>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "meshwright/base/error_with_remedy.h"
#include "meshwright/base/log.h"
#include "meshwright/checkpoint/format/pins.h"
#include "meshwright/checkpoint/format/step_folders.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/checkpoint/run/recover.h"
#include "meshwright/checkpoint/run/steps.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/io/retry.h"

namespace meshwright::checkpoint {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

// Returns the format of the existing checkpoints, for readers.
const Format& format_there(const Files& files) {
  const Format* found = find_format_of_run(files, "");
  return found != nullptr ? *found : format_named("native");
}

}  // namespace

Manager::Manager(ManagerOptions options)
    : options_(std::move(options)),
      files_(options_.files ? options_.files : io::open_file_system(options_.folder.string())),
      format_(options_.read_only ? format_there(files_) : format_named(options_.format)),
      foreign_layout_(options_.foreign_layout ? options_.foreign_layout(format_.name())
                                              : ForeignLayout()),
      staging_(static_cast<std::uint64_t>(options_.saving.staging_bytes.value_or(kNoLimit))),
      collector_(format_, files_, "", options_.retention, options_.run_id),
      saves_(files_->full_name(""), options_.saving.max_failed_saves) {
  if (!options_.now_seconds) options_.now_seconds = [] { return std::time(nullptr); };
  if (options_.read_only) return;
  files_->make_folder("");
  check_format();
  recover(format_, files_, "", options_.run_id);
}

// Refuses to save beside newer checkpoints that another system would continue from. Older and
// unreadable ones do not matter. Usually no file of another format exists, and no manifest is read.
void Manager::check_format() const {
  std::optional<CheckpointEntry> theirs;
  std::string_view format;
  for (const Format* other : formats()) {
    if (other == &format_) continue;
    std::vector<CheckpointEntry> steps = list_steps(*other, files_, "");
    std::erase_if(steps, [&](const CheckpointEntry& step) {
      return !step.is_folder || !other->has_trace(files_, step.folder) ||
             !other->is_here(files_, step.folder);
    });
    const std::optional<CheckpointEntry> newest = newest_readable(*other, files_, steps);
    if (!newest || (theirs && theirs->step >= newest->step)) continue;
    theirs = newest;
    format = other->name();
  }
  if (!theirs) return;
  const auto ours = newest_readable(format_, files_, list_steps(format_, files_, ""));
  if (ours && ours->step >= theirs->step) return;
  const std::string there =
      str("checkpoint: ", files_->full_name(theirs->folder), " is in the format '", format, "', ");
  const Remedy remedy = set_config("to continue it", {{"checkpoint.format", std::string(format)}});
  if (!ours) {
    fail_with_remedy(ErrorCode::invalid_argument, remedy, there, "and this run saves in '",
                     format_.name(), "'");
  }
  fail_with_remedy(ErrorCode::no_checkpoint, remedy, there, "and newer than ",
                   files_->full_name(ours->folder), ", the newest in '", format_.name(),
                   "', in which this run saves\nto continue the older one, move the newer ones out "
                   "of ",
                   files_->full_name(""));
}

bool Manager::save(SaveRequest request) {
  if (!make_way(request.step, request.must_save)) return false;
  add_facts(request.meta, options_.retention, request.metric, options_.now_seconds());
  runtime::Snapshot snapshot = take_snapshot(request);
  const std::shared_future<void> released = snapshot.released;
  const bool must_wait = options_.saving.snapshot == SnapshotKind::copy || !request.may_hold;
  write(pending_checkpoint(request.step, request.arrays, std::move(request.meta), snapshot));
  if (must_wait) released.wait();
  return true;
}

void Manager::save(const Contents& contents) {
  make_way(contents.step, /*must_save=*/true);
  write(pending_checkpoint(contents));
}

bool Manager::make_way(std::int64_t step, bool must_save) {
  poll();
  if (!is_saving()) return true;
  const bool skips = options_.saving.when_busy == WhenBusy::skip && !must_save;
  if (!std::exchange(told_of_waiting_, true)) {
    log_info("the checkpoint of step ", saves_.step(), " is still being written; that of step ",
             step, skips ? " is skipped" : " waits for it",
             ", as will later ones without further notice");
  }
  if (skips) return false;
  wait();
  poll();
  return true;
}

runtime::Snapshot Manager::take_snapshot(const SaveRequest& request) {
  const SaveOptions& saving = options_.saving;
  const bool holds = saving.snapshot == SnapshotKind::hold && request.may_hold;
  runtime::Snapshot out = runtime::snapshot(leaves(request.arrays), staging_,
                                            {.hold = holds,
                                             .replica_parallel = saving.replica_parallel,
                                             .max_threads = static_cast<int>(saving.threads)});
  if (!holds && out.num_held_bytes > 0 && !std::exchange(told_of_excess_, true)) {
    log_info("training waits until ", out.num_held_bytes, " of ", out.num_bytes,
             " bytes are written: checkpoint.staging_bytes has room only for the rest");
  }
  return out;
}

void Manager::write(PendingCheckpoint step) {
  const std::int64_t number = step.plan.step;
  step.plan.run = options_.run_id.value_or("");
  if (const auto& dtype = options_.saving.params_dtype)
    step = with_params_as(*dtype, std::move(step));
  // std::function requires a copyable function, and a PendingCheckpoint cannot be copied.
  auto shared = std::make_shared<PendingCheckpoint>(to_foreign(std::move(step), foreign_layout_));
  saves_.start(number, [this, number, shared] {
    write_checkpoint(format_, files_, "", std::move(*shared), {},
                     static_cast<int>(options_.saving.threads));
    collector_.collect(number);
  });
}

bool Manager::has(std::int64_t step) {
  wait();
  return std::ranges::binary_search(steps(), step);
}

std::vector<CheckpointEntry> Manager::committed() const {
  std::vector<CheckpointEntry> out = list_steps(format_, files_, "");
  std::erase_if(out, [](const CheckpointEntry& entry) { return !entry.is_committed; });
  return out;
}

std::vector<std::int64_t> Manager::steps() const {
  std::vector<std::int64_t> out;
  for (const CheckpointEntry& entry : committed())
    out.push_back(entry.step);
  return out;
}

void Manager::take(const CheckpointEntry& entry, const Use& use) const {
  io::retry(str("restoring step ", entry.step), {}, [&] { use(inspect(format_, files_, entry)); });
}

void Manager::read_with(std::int64_t step, const Use& use) const {
  std::vector<CheckpointEntry> all = committed();
  auto entry = std::ranges::find(all, step, &CheckpointEntry::step);
  if (entry == all.end()) {
    fail(ErrorCode::not_found, files_->full_name(""), ": has no checkpoint of step ", step);
  }
  take(*entry, [&](const Stored& stored) { use(from_foreign(stored, foreign_layout_)); });
}

std::optional<Flaw> Manager::try_to_take(const CheckpointEntry& entry, const Use& use) const {
  bool is_readable = false;
  try {
    take(entry, [&](const Stored& stored) {
      is_readable = true;
      use(from_foreign(stored, foreign_layout_));
    });
    return std::nullopt;
  } catch (const Error& error) {
    if (is_readable && error.code() != ErrorCode::data_loss) throw;
    return flaw_of(entry, error);
  }
}

std::optional<std::int64_t> Manager::read_newest_with(const Use& use,
                                                      std::optional<std::int64_t> up_to) {
  wait();
  std::vector<CheckpointEntry> all = list_steps(format_, files_, "");
  if (up_to) std::erase_if(all, [&](const CheckpointEntry& entry) { return entry.step > *up_to; });
  std::vector<Flaw> flaws;
  for (auto entry = all.rbegin(); entry != all.rend(); ++entry) {
    std::optional<Flaw> flaw = try_to_take(*entry, use);
    if (!flaw) {
      for (const Flaw& newer : flaws)
        if (newer.is_damage && !options_.read_only) set_aside(*files_, newer.step.folder, kDamaged);
      return entry->step;
    }
    // Do not silently skip a checkpoint of a newer version, or one that this user may not read.
    if (!flaw->is_damage && entry->is_committed && files_->find(entry->folder))
      fail(ErrorCode::no_checkpoint, "the checkpoint of step ", entry->step,
           " cannot be used, but is not damaged: ", flaw->what);
    log_warning("the checkpoint of step ", entry->step,
                flaw->is_damage ? " is damaged" : " is unreadable",
                "; using an older one: ", flaw->what);
    flaws.push_back(*std::move(flaw));
  }
  const std::optional<std::string> trace = find_trace(files_, "", up_to);
  if (!trace) return std::nullopt;
  fail_with_remedy(ErrorCode::no_checkpoint, start_fresh("anyway"), "there are checkpoints in ",
                   files_->full_name(""), ", such as '", *trace, "', but none is usable");
}

Contents Manager::restore(std::int64_t step) const {
  Contents out;
  read_with(step, [&](const Stored& stored) { out = read_contents(stored); });
  return out;
}

std::optional<Contents> Manager::restore_newest(std::optional<std::int64_t> up_to) {
  std::optional<Contents> out;
  read_newest_with([&](const Stored& stored) { out = read_contents(stored); }, up_to);
  return out;
}

std::vector<std::string> Manager::folders_after(std::int64_t step) const {
  std::vector<std::string> out;
  for (const CheckpointEntry& entry : committed()) {
    if (entry.step > step) out.push_back(entry.folder);
  }
  return out;
}

void Manager::remove_after(std::int64_t step) {
  wait();
  collector_.forget_last_saved();
  for (const CheckpointEntry& entry : committed()) {
    if (entry.step <= step) continue;
    const std::optional<Flaw> flaw = find_flaw(format_, files_, entry);
    const bool is_own = !flaw && collector_.is_own(inspect(format_, files_, entry));
    if (is_own && !is_pinned(*files_, entry.folder)) {
      format_.remove(files_, entry.folder);
    } else {
      set_aside(*files_, entry.folder, flaw ? kDamaged : kAbandoned);
      unpin(*files_, entry.folder);
    }
  }
}

}  // namespace meshwright::checkpoint
