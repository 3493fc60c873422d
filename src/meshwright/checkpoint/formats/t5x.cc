// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/formats/t5x.h"

#include <charconv>
#include <map>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/checkpoint/contents/kept_files.h"
#include "meshwright/checkpoint/format/manifest_writer.h"
#include "meshwright/checkpoint/formats/in_place.h"
#include "meshwright/checkpoint/formats/t5x_tree.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

using io::join_path;

constexpr std::string_view kT5xPrefix = "checkpoint_";
// How the files of data iterators begin: train_ds-000-of-001.index
constexpr std::string_view kT5xIterator = "train_ds";

constexpr InPlace kT5xInPlace = {
    .layout = {.folder = t5x_folder, .chunk = t5x_chunk},
    .marker = kT5xTreeFile,
    .marker_text = t5x_tree_bytes,
    .write_others = write_kept_files,
    .keeps_iterators = true,
};

std::vector<std::string> files_of_iterators(const io::FileSystem& files,
                                            const std::string& folder) {
  std::vector<std::string> out;
  for (const io::FolderEntry& entry : files.list(folder)) {
    if (entry.kind == io::FileKind::file && entry.name.starts_with(kT5xIterator))
      out.push_back(join_path(folder, entry.name));
  }
  return out;
}

class T5x : public InPlaceFormat {
 public:
  T5x() : InPlaceFormat(kT5xInPlace) {}

  std::string_view name() const override { return "t5x"; }
  std::string step_name(std::int64_t step) const override {
    MW_CHECK(step >= 0, "checkpoint: step ", step, " is negative");
    return str(kT5xPrefix, step);
  }
  std::optional<std::int64_t> find_step(std::string_view folder_name) const override {
    if (!folder_name.starts_with(kT5xPrefix)) return std::nullopt;
    const std::string_view digits = folder_name.substr(kT5xPrefix.size());
    std::int64_t out = 0;
    const char* const end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, out);
    const bool is_step = parsed.ec == std::errc() && parsed.ptr == end && digits[0] != '-';
    return is_step ? std::optional(out) : std::nullopt;
  }
  std::vector<std::string> iterator_files(const io::FileSystem& files,
                                          const std::string& folder) const override {
    if (has_manifest(files, folder)) return {};  // it lists them
    return files_of_iterators(files, folder);
  }

 private:
  bool has_step_files(const Files& files, const std::string& folder) const override {
    return is_t5x_tree(*files, join_path(folder, kT5xTreeFile));
  }
  bool has_marker(const Files& files, const std::string& folder) const override {
    return io::is_file(*files, join_path(folder, kT5xTreeFile));
  }
  // The name of the folder counts, as in T5X.
  Stored open_foreign(const Files& files, const std::string& folder) const override {
    StoredTree tree = open_t5x_tree(files, folder);
    return {.step = find_step(io::name_of(folder)).value_or(0),
            .arrays = std::move(tree.arrays),
            .iterators = iterators(files, folder),
            .structure = std::move(tree.structure)};
  }
  std::vector<IteratorState> iterators(const Files& files,
                                       const std::string& folder) const override {
    IteratorState out{.path = std::string(kT5xIterator), .type = "tf.data"};
    for (const std::string& file : files_of_iterators(*files, folder)) {
      if (const auto info = files->find(file))
        out.files.emplace(io::name_of(file), kept_file(files, file, info->num_bytes));
    }
    if (out.files.empty()) return {};
    return {std::move(out)};
  }
};

}  // namespace

const Format& t5x_format() {
  static const T5x format;
  return format;
}

}  // namespace meshwright::checkpoint
