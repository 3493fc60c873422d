// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/formats/axlearn.h"

#include <optional>
#include <utility>

#include "meshwright/checkpoint/format/manifest_writer.h"
#include "meshwright/checkpoint/formats/axlearn_index.h"
#include "meshwright/checkpoint/formats/axlearn_iterators.h"
#include "meshwright/checkpoint/formats/in_place.h"
#include "meshwright/checkpoint/formats/step_name.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

using io::join_path;

constexpr const char* kIndex = "index";
constexpr const char* kArrays = "gda";

std::string axlearn_folder(const std::string& path, const Structure& /*structure*/ = {}) {
  return join_path(kArrays, path);
}

std::string index_text(const CheckpointPlan& plan) {
  AxLearnIndex index{.step = plan.step};
  for_each(plan.arrays, [&](const std::string& path, const ArrayPlan& array) {
    if (!array.is_own) index.arrays[path] = array.type;
  });
  for (const IteratorState& iterator : plan.iterators)
    index.iterators.emplace(iterator.path, iterator.type);
  return write_axlearn_index(index);
}

constexpr InPlace kAxLearnInPlace = {
    .layout = {.folder = axlearn_folder, .chunk_is_part = true},
    .marker = kIndex,
    .marker_text = index_text,
    .write_others = write_kept_files,
    .keeps_iterators = true,
};

class AxLearn : public InPlaceFormat {
 public:
  AxLearn() : InPlaceFormat(kAxLearnInPlace) {}

  std::string_view name() const override { return "axlearn"; }
  std::string step_name(std::int64_t step) const override {
    return padded_step_name("step_", 8, step);
  }
  std::optional<std::int64_t> find_step(std::string_view folder_name) const override {
    return find_padded_step("step_", 8, folder_name);
  }

 private:
  bool has_step_files(const Files& files, const std::string& folder) const override {
    return has_marker(files, folder) || io::is_folder(*files, join_path(folder, kArrays));
  }
  bool has_marker(const Files& files, const std::string& folder) const override {
    return io::is_file(*files, join_path(folder, kIndex));  // a folder if Orbax has the arrays
  }
  Stored open_foreign(const Files& files, const std::string& folder) const override {
    AxLearnIndex index = read_index(files, folder);
    auto array = [&](const std::string& path, const ArrayType& type) {
      return stored_zarr(files, join_path(folder, axlearn_folder(path)), type);
    };
    return {.step = index.step,
            .arrays = map(index.arrays, array),
            .meta = std::move(index.values),
            .iterators = find_axlearn_iterators(files, folder, index.iterators)};
  }
  std::vector<IteratorState> iterators(const Files& files,
                                       const std::string& folder) const override {
    if (!has_axlearn_iterators(*files, folder)) return {};  // do not read the index again
    return find_axlearn_iterators(files, folder, read_index(files, folder).iterators);
  }
  std::vector<Damage> verify_others(const Stored& stored,
                                    const std::string& folder) const override {
    return damage_of(stored.iterators, folder);
  }

  static AxLearnIndex read_index(const Files& files, const std::string& folder) {
    std::string file = join_path(folder, kIndex);
    return parse_axlearn_index(io::read_text(*files, file), files->full_name(file));
  }
};

}  // namespace

const Format& axlearn_format() {
  static const AxLearn format;
  return format;
}

}  // namespace meshwright::checkpoint
