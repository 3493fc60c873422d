// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/containers/big_vision.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/checkpoint/containers/new_folder.h"
#include "meshwright/checkpoint/format/named_arrays.h"
#include "meshwright/checkpoint/format/zarr_arrays.h"
#include "meshwright/checkpoint/formats/step_name.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

using io::join_path;

constexpr int kStepDigits = 9;
// Big Vision removes checkpoints with this suffix once the next one is complete.
constexpr std::string_view kTemporary = "-tmp";
constexpr std::string_view kLast = "-LAST";
constexpr std::uint64_t kMaxPointerBytes = 256;

std::string big_vision_folder(const std::string& path, const Structure& /*structure*/) {
  MW_CHECK(path.find('~') == path.npos, "big_vision: '", path,
           "' contains '~', which separates names there\nrename it");
  std::string out = path;
  std::ranges::replace(out, '/', '~');
  return out;
}

constexpr ZarrLayout kBigVisionArrays = {.folder = big_vision_folder, .chunk_is_part = true};

// The parts of a name such as "checkpoint.bv-000001000-tmp".
struct StepName {
  std::string base;  // "checkpoint.bv"
  std::int64_t step = 0;
};
std::optional<StepName> find_step_name(std::string_view name) {
  if (name.ends_with(kTemporary)) name.remove_suffix(kTemporary.size());
  const std::size_t dash = name.rfind('-');
  if (dash == name.npos || dash == 0) return std::nullopt;
  const auto step = find_padded_step("", kStepDigits, name.substr(dash + 1));
  if (!step) return std::nullopt;
  return StepName{std::string(name.substr(0, dash)), *step};
}

std::string step_path(const std::string& path, std::int64_t step) {
  return str(path, "-", padded_step_name("", kStepDigits, step));
}

bool is_array(const io::FileSystem& files, const std::string& folder) {
  return io::is_file(files, join_path(folder, ".zarray"));
}

// Writes the arrays under another name, renames them, and then changes the pointer.
class BigVisionWriter : public CheckpointWriter {
 public:
  BigVisionWriter(const Files& files,
                  std::string path,
                  const CheckpointPlan& plan,
                  const WriteOptions& options)
      : files_(files),
        path_(std::move(path)),
        name_(step_path(path_, plan.step)),
        folder_(files, name_, options.continues),
        step_files_(folder_.make_folder()),
        arrays_(step_files_, plan, kBigVisionArrays, options) {
    arrays_.write_metadata();
  }

  std::vector<Ranges> pieces(const std::string& array, const Ranges& part) const override {
    return arrays_.pieces(array, part);
  }
  void write(const std::string& array, const Part& piece) override { arrays_.write(array, piece); }
  std::string receipt(const std::string& array, const Ranges& piece) const override {
    return str(size_of(array, piece));
  }
  bool keep(const std::string& array, const Ranges& piece, const std::string& receipt) override {
    return receipt == str(size_of(array, piece));
  }
  void finish() override {}

  void commit() override {
    step_files_->sync_folder("");
    for (const io::FolderEntry& entry : step_files_->list(""))
      step_files_->sync_folder(entry.name);
    folder_.publish();
    replace_text(*files_, path_ + std::string(kLast), name_.substr(path_.size() + 1));
  }
  void abandon() noexcept override { folder_.abandon(); }

 private:
  // Returns the size of the file of a piece, -1 if there is none.
  std::int64_t size_of(const std::string& array, const Ranges& piece) const {
    const auto info = step_files_->find(arrays_.file_of(array, piece));
    return info ? static_cast<std::int64_t>(info->num_bytes) : -1;
  }

  Files files_;
  std::string path_;
  std::string name_;
  NewFolder folder_;
  Files step_files_;  // below the folder
  ZarrArrays arrays_;
};

class BigVisionContainer : public Container {
 public:
  std::string_view name() const override { return "big_vision"; }

  // If the folder has another name, the names of its arrays decide.
  bool is_here(const Files& files, const std::string& path) const override {
    if (!io::is_folder(*files, path)) return false;
    const bool has_step = find_step_name(io::name_of(path)).has_value();
    constexpr std::array<std::string_view, 3> kTops = {"params~", "opt~", "chrono~"};
    for (const io::FolderEntry& entry : files->list(path)) {
      const auto begins = [&](std::string_view top) { return entry.name.starts_with(top); };
      const bool is_named = has_step || std::ranges::any_of(kTops, begins);
      if (entry.kind == io::FileKind::folder && is_named &&
          is_array(*files, join_path(path, entry.name)))
        return true;
    }
    return false;
  }

  bool owns_all_below(const Files& files, const std::string& folder) const override {
    return is_here(files, folder);
  }

  // Big Vision writes in the final place and then changes its pointer, so a checkpoint of a later
  // step than that of the pointer is unfinished.
  std::vector<CheckpointEntry> list(const Files& files, const std::string& folder) const override {
    std::map<std::int64_t, CheckpointEntry> found;
    for (const io::FolderEntry& entry : files->list(folder)) {
      const std::optional<StepName> name = find_step_name(entry.name);
      const std::string path = join_path(folder, entry.name);
      if (!name || entry.kind != io::FileKind::folder || !is_here(files, path)) continue;
      const auto last = find_big_vision_last(*files, join_path(folder, name->base));
      const auto newest = last ? find_step_name(io::name_of(*last)) : std::nullopt;
      found[name->step] = {.step = name->step,
                           .folder = path,
                           .is_committed = !newest || name->step <= newest->step};
    }
    std::vector<CheckpointEntry> out;
    for (const auto& [step, entry] : found)
      out.push_back(entry);
    return out;
  }

  // Big Vision takes every entry of the folder for an array.
  Stored open(const Files& files, const std::string& folder) const override {
    const std::optional<StepName> name = find_step_name(io::name_of(folder));
    Stored out{.step = name ? name->step : 0};
    NamedArrays arrays;
    for (const io::FolderEntry& entry : files->list(folder)) {
      if (entry.kind != io::FileKind::folder) continue;
      std::string path = entry.name;
      std::ranges::replace(path, '~', '/');
      arrays.add(path, open_zarr(files, join_path(folder, entry.name)));
    }
    out.arrays = arrays.take();
    return out;
  }

  std::string result_of(const std::string& path, std::int64_t step) const override {
    return step_path(path, step);
  }
  std::unique_ptr<CheckpointWriter> begin(const Files& files,
                                          const std::string& path,
                                          CheckpointPlan plan,
                                          const WriteOptions& options) const override {
    MW_CHECK(options.num_processes == 1, "big_vision: only one process can write ", path);
    return std::make_unique<BigVisionWriter>(files, path, plan, options);
  }
};

}  // namespace

const Container& big_vision_container() {
  static const BigVisionContainer container;
  return container;
}

std::optional<std::string> find_big_vision_last(const io::FileSystem& files,
                                                const std::string& path) {
  const std::string pointer = path + std::string(kLast);
  if (!io::is_file(files, pointer)) return std::nullopt;
  std::string suffix = io::read_text(files, pointer, kMaxPointerBytes);
  suffix.erase(suffix.find_last_not_of(" \n\r\t") + 1);
  std::string out = str(path, "-", suffix);
  const bool is_name = io::is_path(out) && suffix.find('/') == suffix.npos;
  return is_name ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace meshwright::checkpoint
