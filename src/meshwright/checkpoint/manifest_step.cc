// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/manifest_step.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/log.h"
#include "meshwright/checkpoint/chunks.h"
#include "meshwright/checkpoint/step_folders.h"
#include "meshwright/checkpoint/tasks.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

using io::join_path;

constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{1} << 30;

// The manifest of another process than the first, until the step is committed.
std::string share_name(int process) {
  return str("meshwright.", process, ".json");
}

// The folder of the run may be as new as that of the step.
void sync_parents(io::FileSystem& files, const std::string& folder) {
  if (folder.empty()) return;
  std::string parent = io::parent_of(folder);
  sync_parents(files, parent);
  files.sync_folder(parent);
}

Manifest read_manifest(const io::FileSystem& files, const std::string& file) {
  return parse_manifest(io::read_text(files, file, kMaxManifestBytes), files.full_name(file));
}

}  // namespace

void refuse_iterators(const Format& format, const StepPlan& plan) {
  MW_CHECK(plan.iterators.empty(), "checkpoint: the format '", format.name(),
           "' has no room for the state of the iterator '",
           plan.iterators.empty() ? "" : plan.iterators[0].path, "'\nleave it out");
}

// --- writing ----------------------------------------------------------------------------------

ManifestWriter::ManifestWriter(const Format& format,
                               Files files,
                               StepPlan plan,
                               ManifestLayout layout,
                               const WriteOptions& options)
    : format_(format),
      files_(std::move(files)),
      plan_(std::move(plan)),
      layout_(std::move(layout)),
      options_(options),
      step_files_(std::make_shared<io::RecordingFiles>(files_, layout_.folder)),
      arrays_(step_files_, plan_.arrays, layout_.arrays, options_) {
  MW_CHECK(plan_.step >= 0, "checkpoint: step ", plan_.step, " is negative");
  if (options_.process != 0) return;
  try {
    remove_tree(*files_, folder());
    files_->make_folder(folder());
    sync_parents(*files_, folder());
    arrays_.write_metadata();
  } catch (const Error&) {
    abandon();
    throw;
  }
}

Manifest ManifestWriter::manifest() const {
  Manifest out{.format = std::string(format_.name()), .step = plan_.step};
  for_each(plan_.arrays, [&](const std::string& path, const ArrayPlan& plan) {
    out.arrays.emplace(path, ManifestArray{layout_.arrays.folder(path), plan.type});
  });
  out.meta = plan_.meta;
  out.files = step_files_->records();
  return out;
}

void ManifestWriter::finish() {
  if (options_.process == 0) return;
  write_text(*files_, join_path(folder(), share_name(options_.process)),
             checkpoint::write_manifest(manifest()), io::Durability::synced);
}

void ManifestWriter::write_manifest(io::FileRecords later) {
  Manifest all = manifest();
  all.files.merge(later);
  for (int process = 1; process < options_.num_processes; ++process) {
    std::string share = join_path(folder(), share_name(process));
    all.files.merge(read_manifest(*files_, share).files);
    files_->remove(share);
  }
  std::string text = checkpoint::write_manifest(all);
  parse_manifest(text, "the manifest");  // what cannot be read back must not be committed
  write_text(*files_, join_path(folder(), kManifestFile), text, io::Durability::synced);
  step_files_->sync_folders();
}

void ManifestWriter::abandon() noexcept {
  try {
    remove_marked(*files_, folder(), layout_.marker);
  } catch (const Error& error) {
    warn("removing the unfinished checkpoint ", files_->full_name(folder()), ": ", error.what());
  }
}

// --- reading ----------------------------------------------------------------------------------

std::optional<Manifest> find_manifest(const Files& files, const std::string& folder) {
  std::string file = join_path(folder, kManifestFile);
  if (!files->find(file)) return std::nullopt;
  return read_manifest(*files, file);
}

Stored open_manifest(const Files& files, const std::string& folder, Manifest manifest) {
  auto verified = std::make_shared<io::VerifiedFiles>(files, folder, std::move(manifest.files));
  Stored out{.step = manifest.step,
             .meta = std::move(manifest.meta),
             .is_verified = true,
             .digest = std::move(manifest.digest)};
  for (auto& [path, array] : manifest.arrays)
    out.arrays[path] = stored_zarr(verified, array.folder, std::move(array.type));
  return out;
}

namespace {

// Runs checks that throw, and keeps what they throw.
class Checks {
 public:
  explicit Checks(std::uint64_t num_bytes) : tasks_(threads_for(num_bytes, 8)) {}

  void run(std::string name, std::function<void()> check) {
    tasks_.run([this, name = std::move(name), check = std::move(check)] {
      try {
        check();
      } catch (const Error& error) {
        std::lock_guard lock(mutex_);
        found_.push_back({name, error.what()});
      }
    });
  }
  std::vector<Damage> take() {
    tasks_.join();
    std::ranges::sort(found_, {}, &Damage::file);
    return std::move(found_);
  }

 private:
  std::mutex mutex_;
  std::vector<Damage> found_;
  Tasks tasks_;
};

}  // namespace

std::vector<Damage> verify_by_reading(const Stored& stored) {
  std::uint64_t num_bytes = 0;
  for (const StoredArray& array : leaves(stored.arrays))
    num_bytes += static_cast<std::uint64_t>(array.type().num_bytes());
  Checks checks(num_bytes);
  for_each(stored.arrays, [&](const std::string& path, const StoredArray& array) {
    checks.run(path, [array] {
      for (const Ranges& piece : pieces_of(whole_ranges(array.type().dims), array.chunk()))
        array.read(piece);
    });
  });
  return checks.take();
}

std::vector<Damage> verify_manifest(const Files& files,
                                    const std::string& folder,
                                    const Manifest& manifest) {
  const io::VerifiedFiles verified(files, folder, manifest.files);
  std::uint64_t num_bytes = 0;
  for (const auto& [file, record] : manifest.files)
    num_bytes += record.num_bytes;
  Checks checks(num_bytes);
  for (const auto& [file, record] : manifest.files)
    checks.run(verified.full_name(file), [&, name = file] { verified.verify(name); });
  return checks.take();
}

}  // namespace meshwright::checkpoint
