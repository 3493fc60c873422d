// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/format/manifest_writer.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <sstream>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/log.h"
#include "meshwright/checkpoint/contents/inspection.h"
#include "meshwright/checkpoint/contents/pieces.h"
#include "meshwright/checkpoint/contents/tasks.h"
#include "meshwright/checkpoint/format/step_folders.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

using io::join_path;

constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{64} << 20;

// Returns the name of the file in which a process other than the first keeps its manifest until the
// checkpoint is committed.
std::string share_name(int process) {
  return str("meshwright.", process, ".json");
}

// Syncs all parents of a folder: the folder of the run may be new as well.
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

void refuse_iterators(const Format& format, const CheckpointPlan& plan) {
  MW_CHECK(plan.iterators.empty(), "checkpoint: the format '", format.name(),
           "' cannot store the state of the iterator '",
           plan.iterators.empty() ? "" : plan.iterators[0].path, "'\nomit it");
}

ManifestWriter::ManifestWriter(const Format& format,
                               Files files,
                               CheckpointPlan plan,
                               ManifestLayout layout,
                               const WriteOptions& options)
    : format_(format),
      files_(std::move(files)),
      plan_(std::move(plan)),
      layout_(std::move(layout)),
      options_(options),
      step_files_(std::make_shared<io::RecordingFiles>(files_, layout_.folder)),
      arrays_(step_files_, plan_, layout_.arrays, options_) {
  MW_CHECK(plan_.step >= 0, "checkpoint: step ", plan_.step, " is negative");
  if (options_.process != 0) return;
  try {
    if (!options_.continues) remove_tree(*files_, folder());
    files_->make_folder(folder());
    sync_parents(*files_, folder());
    arrays_.write_metadata();
  } catch (const Error&) {
    abandon();
    throw;
  }
}

std::string ManifestWriter::receipt(const std::string& array, const Ranges& piece) const {
  const auto record = step_files_->find_record(arrays_.file_of(array, piece));
  MW_CHECK(record.has_value(), "checkpoint: ", piece, " of '", array, "' is not written");
  return str(record->num_bytes, " ", record->crc);
}

bool ManifestWriter::keep(const std::string& array,
                          const Ranges& piece,
                          const std::string& receipt) {
  std::istringstream words(receipt);
  io::FileRecord record;
  return words >> record.num_bytes >> record.crc &&
         step_files_->adopt(arrays_.file_of(array, piece), record);
}

Manifest ManifestWriter::manifest() const {
  Manifest out{.format = std::string(format_.name()), .step = plan_.step, .run = plan_.run};
  for_each(plan_.arrays, [&](const std::string& path, const ArrayPlan& plan) {
    out.arrays.emplace(path,
                       ManifestArray{layout_.arrays.folder(path, plan_.structure), plan.type});
  });
  out.meta = plan_.meta;
  out.structure = plan_.structure;
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
  parse_manifest(text, "the manifest");  // do not commit what cannot be read back
  write_text(*files_, join_path(folder(), kManifestFile), text, io::Durability::synced);
  step_files_->sync_folders();
}

void ManifestWriter::abandon() noexcept {
  try {
    remove_marked(*files_, folder(), layout_.marker);
  } catch (const Error& error) {
    log_warning("removing the unfinished checkpoint ", files_->full_name(folder()), ": ",
                error.what());
  }
}

std::optional<Manifest> find_manifest(const Files& files, const std::string& folder) {
  std::string file = join_path(folder, kManifestFile);
  if (!files->find(file)) return std::nullopt;
  return read_manifest(*files, file);
}

bool is_share_name(std::string_view name) {
  constexpr std::string_view kBefore = "meshwright.";
  constexpr std::string_view kAfter = ".json";
  if (!name.starts_with(kBefore) || !name.ends_with(kAfter)) return false;
  name.remove_prefix(kBefore.size());
  return name.size() > kAfter.size() &&
         name.find_first_not_of("0123456789") == name.size() - kAfter.size();
}

bool has_manifest(const io::FileSystem& files, const std::string& folder) {
  return files.find(join_path(folder, kManifestFile)).has_value();
}

namespace {

// Returns nullopt if there is no readable manifest.
std::optional<Manifest> find_readable_manifest(const io::FileSystem& files,
                                               const std::string& folder) {
  if (!has_manifest(files, folder)) return std::nullopt;
  try {
    return read_manifest(files, join_path(folder, kManifestFile));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::data_loss && error.code() != ErrorCode::unimplemented) throw;
    return std::nullopt;
  }
}

// Verifies the files that reading arrays would not, such as Orbax's tree and the marker.
void verify_all_but_arrays(const io::VerifiedFiles& files,
                           const std::map<std::string, ManifestArray>& arrays) {
  std::set<std::string_view> folders;
  for (const auto& [path, array] : arrays)
    folders.insert(array.folder);
  for (const auto& [file, record] : files.records()) {
    if (!folders.contains(io::parent_of(file))) files.verify(file);
  }
}

}  // namespace

std::optional<std::string> find_run(const io::FileSystem& files, const std::string& folder) {
  std::optional<Manifest> found = find_readable_manifest(files, folder);
  return found ? std::optional(std::move(found->run)) : std::nullopt;
}

std::optional<std::string> find_format_name(const Files& files, const std::string& folder) {
  std::optional<Manifest> found = find_readable_manifest(*files, folder);
  return found ? std::optional(std::move(found->format)) : std::nullopt;
}

std::optional<Manifest> find_manifest_of(const Format& format,
                                         const Files& files,
                                         const std::string& folder) {
  std::optional<Manifest> found = find_manifest(files, folder);
  if (found && found->format != format.name()) {
    fail(ErrorCode::data_loss, files->full_name(folder), ": has the format '", found->format,
         "', not '", format.name(), "'");
  }
  return found;
}

void check_files(const Files& files, const std::string& folder, const Manifest& manifest) {
  const io::VerifiedFiles listed(files, folder, manifest.files);
  for (const auto& [file, record] : manifest.files)
    listed.find(file);
}

Stored open_manifest(const Files& files, const std::string& folder, Manifest manifest) {
  auto verified = std::make_shared<io::VerifiedFiles>(files, folder, std::move(manifest.files));
  verify_all_but_arrays(*verified, manifest.arrays);
  Stored out{.step = manifest.step,
             .meta = std::move(manifest.meta),
             .structure = std::move(manifest.structure),
             .is_verified = true,
             .digest = std::move(manifest.digest),
             .run = std::move(manifest.run)};
  for (auto& [path, array] : manifest.arrays)
    out.arrays[path] = stored_zarr(verified, array.folder, std::move(array.type));
  return out;
}

namespace {

// Collects damage from several threads, up to a limit: a checkpoint may have lost very many files.
class Findings {
 public:
  void add(std::string name, std::string what) {
    constexpr std::size_t kMaxFound = 10'000;
    const std::lock_guard lock(mutex_);
    if (found_.size() < kMaxFound) {
      found_.push_back({std::move(name), std::move(what)});
    } else {
      ++num_more_;
    }
  }
  std::vector<Damage> take(const std::string& folder) {
    std::ranges::sort(found_, {}, &Damage::file);
    if (num_more_ > 0) found_.push_back({folder, str("and ", num_more_, " more")});
    return std::move(found_);
  }

 private:
  std::mutex mutex_;
  std::vector<Damage> found_;
  std::int64_t num_more_ = 0;
};

constexpr int kMaxThreads = 8;

}  // namespace

std::vector<Damage> verify_by_reading(const Stored& stored) {
  const std::vector<std::pair<std::string, StoredArray>> arrays = flatten(stored.arrays);
  Findings findings;
  inspect_each(std::ssize(arrays), 0, kMaxThreads, [&](std::int64_t index) {
    const auto& [path, array] = arrays[static_cast<std::size_t>(index)];
    try {
      const std::uint64_t num_bytes = 2 * inspected_chunk_bytes(array);
      const Pieces pieces(whole_ranges(array.type().dims), array.chunk());
      for (std::int64_t i = 0; i < pieces.size(); ++i) {
        const ByteBudget::Share share(inspection_budget(), num_bytes);
        array.read(pieces.at(i));
      }
    } catch (const Error& error) {
      findings.add(path, error.what());
    }
  });
  return findings.take("");
}

std::vector<Damage> verify_manifest(const Files& files,
                                    const std::string& folder,
                                    const Manifest& manifest) {
  const io::VerifiedFiles verified(files, folder, manifest.files);
  std::uint64_t num_bytes = 0;
  for (const auto& [file, record] : manifest.files)
    num_bytes += record.num_bytes;
  Findings findings;
  std::mutex mutex;
  auto next = manifest.files.begin();
  const int num_threads = threads_for(num_bytes, kMaxThreads);
  inspect_each(std::ssize(manifest.files), 0, num_threads, [&](std::int64_t) {
    std::string file;
    {
      const std::lock_guard lock(mutex);
      file = next++->first;
    }
    try {
      verified.verify(file);
    } catch (const Error& error) {
      findings.add(verified.full_name(file), error.what());
    }
  });
  return findings.take(files->full_name(folder));
}

}  // namespace meshwright::checkpoint
