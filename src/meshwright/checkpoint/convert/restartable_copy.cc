// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/convert/restartable_copy.h"

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "meshwright/base/str.h"
#include "meshwright/checkpoint/convert/copy_journal.h"
#include "meshwright/checkpoint/format/step_folders.h"
#include "meshwright/io/file_tree.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

using Clock = std::chrono::steady_clock;

/// Writes to another writer, and records in a journal what is durable there.
class JournalingWriter : public CheckpointWriter {
 public:
  JournalingWriter(CheckpointWriter& inner,
                   CopyJournal& journal,
                   const std::vector<std::string>& paths,
                   std::chrono::milliseconds interval)
      : inner_(inner), journal_(journal), interval_(interval) {
    for (std::size_t i = 0; i < paths.size(); ++i)
      arrays_.emplace(paths[i], i);
  }

  std::vector<Ranges> pieces(const std::string& array, const Ranges& part) const override {
    return inner_.pieces(array, part);
  }
  void write(const std::string& array, const Part& piece) override {
    inner_.write(array, piece);
    record({arrays_.at(array), piece.ranges, inner_.receipt(array, piece.ranges)});
  }
  void finish() override { inner_.finish(); }
  void commit() override { inner_.commit(); }
  void abandon() noexcept override { inner_.abandon(); }

 private:
  // The thread whose piece comes when it is time records those of all threads.
  void record(CopyJournal::Entry entry) {
    std::vector<CopyJournal::Entry> due;
    {
      const std::lock_guard lock(mutex_);
      written_.push_back(std::move(entry));
      if (is_recording_ || Clock::now() - last_ < interval_) return;
      is_recording_ = true;
      due = std::exchange(written_, {});
    }
    inner_.sync();
    journal_.append(due);
    const std::lock_guard lock(mutex_);
    is_recording_ = false;
    last_ = Clock::now();
  }

  CheckpointWriter& inner_;
  CopyJournal& journal_;
  const std::chrono::milliseconds interval_;
  std::map<std::string, std::size_t> arrays_;
  std::mutex mutex_;
  std::vector<CopyJournal::Entry> written_;
  bool is_recording_ = false;
  Clock::time_point last_ = Clock::now();
};

std::string identity_of(const Container& container,
                        const CheckpointPlan& plan,
                        const WriteOptions& options) {
  std::string out = str(container.name(), " step ", plan.step, " compressor ",
                        static_cast<int>(options.compressor), " ", options.level, " at most ",
                        options.max_chunk_bytes, " ", options.max_file_bytes, "\n");
  for_each(plan.arrays, [&](const std::string& path, const ArrayPlan& array) {
    out += str(path, " ", to_string(array.type), " in ", array.part, " ", array.is_own, "\n");
  });
  return out;
}

std::uint64_t num_bytes_of(const ArrayPlan& array, const Ranges& part) {
  return static_cast<std::uint64_t>(num_elements(sizes_of(part))) * byte_size(array.type.dtype);
}

// Removes the parts whose pieces all come from an earlier attempt.
void remove_kept(PendingCheckpoint& step,
                 CheckpointWriter& writer,
                 const CopyJournal& journal,
                 const Restart& restart) {
  std::erase_if(step.parts, [&](const runtime::SnapshotPart& part) {
    const std::string& path = step.paths[part.array()];
    for (const Ranges& piece : writer.pieces(path, part.ranges())) {
      const std::optional<std::string> receipt = journal.find(part.array(), piece);
      if (!receipt || !writer.keep(path, piece, *receipt)) return false;
    }
    if (restart.on_kept)
      restart.on_kept(num_bytes_of(step.plan.arrays.at(path).value(), part.ranges()));
    return true;
  });
}

}  // namespace

std::string journal_of(const std::string& result) {
  return with_prefix(kUnfinished, result) + std::string(kJournal);
}

void write_restartable(const Container& container,
                       const Files& files,
                       const std::string& path,
                       PendingCheckpoint step,
                       WriteOptions options,
                       const Restart& restart) {
  CopyJournal journal(files, restart.journal,
                      identity_of(container, step.plan, options) + restart.identity);
  options.continues = journal.exists();
  if (!options.continues) journal.remove();  // that of another copy, whose files begin() removes
  const std::vector<std::string> paths = step.paths;
  std::unique_ptr<CheckpointWriter> writer = container.begin(files, path, step.plan, options);
  try {
    if (options.continues) remove_kept(step, *writer, journal, restart);
    JournalingWriter journaling(*writer, journal, paths, restart.interval);
    write_parts(journaling, std::move(step), restart.max_threads);
    writer->finish();
    journal.remove();
    writer->commit();
  } catch (const Error&) {
    if (!journal.exists()) writer->abandon();
    throw;
  }
}

std::string identity_of(const io::FileSystem& files, const std::string& checkpoint) {
  std::string out = files.full_name(checkpoint) + "\n";
  const auto add = [&](const std::string& path, const io::FileInfo& info) {
    out += str(path, " ", info.num_bytes, " ", info.modified_seconds, "\n");
  };
  const std::optional<io::FileInfo> info = files.find(checkpoint);
  if (info && info->kind == io::FileKind::folder) {
    io::for_each_file_below(files, checkpoint, add);
    return out;
  }
  // A file, or the common beginning of the names of several.
  const std::string folder = io::parent_of(checkpoint);
  for (const io::FolderEntry& entry : io::list_if_there(files, folder)) {
    if (!entry.name.starts_with(io::name_of(checkpoint))) continue;
    const std::string path = io::join_path(folder, entry.name);
    if (const std::optional<io::FileInfo> part = files.find(path)) add(path, *part);
  }
  return out;
}

}  // namespace meshwright::checkpoint
