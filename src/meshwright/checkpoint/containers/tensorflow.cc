// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/containers/tensorflow.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "meshwright/base/crc32c.h"
#include "meshwright/base/error.h"
#include "meshwright/checkpoint/containers/paths.h"
#include "meshwright/checkpoint/contents/raw_array.h"
#include "meshwright/checkpoint/format/named_arrays.h"
#include "meshwright/io/path.h"
#include "meshwright/io/tensor_bundle/bundle.h"

namespace meshwright::checkpoint {
namespace {

using io::join_path;

constexpr std::string_view kBundleIndex = ".index";
constexpr std::string_view kBundleData = ".data-";

std::uint32_t update_crc(std::uint32_t before, std::span<const std::byte> bytes) {
  return crc32c(io::as_text(bytes), before);
}

// Returns the beginnings of the names of all checkpoints in a folder.
std::vector<std::string> prefixes_in(const io::FileSystem& files, const std::string& folder) {
  std::set<std::string> with_index, with_data;
  for (const io::FolderEntry& entry : files.list(folder)) {
    const std::string& name = entry.name;
    if (name.ends_with(kBundleIndex))
      with_index.insert(name.substr(0, name.size() - kBundleIndex.size()));
    if (const std::size_t data = name.rfind(kBundleData); data != name.npos)
      with_data.insert(name.substr(0, data));
  }
  std::vector<std::string> out;
  std::ranges::set_intersection(with_index, with_data, std::back_inserter(out));
  for (std::string& name : out)
    name = join_path(folder, name);
  return out;
}

// Without a pointer to the newest, a folder stands for its only checkpoint, and that of a
// SavedModel for its variables.
std::optional<std::string> find_prefix_in(const io::FileSystem& files, const std::string& folder) {
  if (auto newest = io::find_bundle_prefix(files, folder)) return newest;
  std::vector<std::string> all = prefixes_in(files, folder);
  if (all.size() == 1) return std::move(all[0]);
  std::string variables = join_path(folder, "variables/variables");
  const bool is_saved_model = io::is_file(files, join_path(folder, "saved_model.pb")) &&
                              io::is_file(files, str(variables, kBundleIndex));
  return is_saved_model ? std::optional(std::move(variables)) : std::nullopt;
}

std::optional<std::string> find_prefix(const io::FileSystem& files, const std::string& path) {
  if (io::is_folder(files, path)) return find_prefix_in(files, path);
  if (io::is_file(files, str(path, kBundleIndex))) return path;
  if (path.ends_with(kBundleIndex) && files.find(path)) {
    const std::string prefix = path.substr(0, path.size() - kBundleIndex.size());
    const std::vector<std::string> all = prefixes_in(files, io::parent_of(path));
    if (std::ranges::find(all, prefix) != all.end()) return prefix;
  }
  if (io::name_of(path) == io::kBundlePointer && files.find(path))
    return io::find_bundle_prefix(files, io::parent_of(path));
  return std::nullopt;
}

// TensorFlow names slots below their variable: "w" and "w/Adam". Since an array of a tree has
// nothing below it, the latter becomes "w.Adam".
std::string path_of(std::string name, const std::map<std::string, io::BundleTensor>& tensors) {
  for (std::size_t slash = name.find('/'); slash != name.npos; slash = name.find('/', slash + 1))
    if (tensors.contains(name.substr(0, slash))) name[slash] = '.';
  return name;
}

// Returns the step that TensorFlow's trainers store, or that the name ends with.
std::int64_t step_of(const Tree<StoredArray>& arrays, const std::string& prefix) {
  const Tree<StoredArray>* found = arrays.find("global_step");
  if (found == nullptr || !found->is_leaf()) return step_in_name(io::name_of(prefix));
  const StoredArray& array = found->value();
  if (array.type() != ArrayType{DType::s64, {}}) return step_in_name(io::name_of(prefix));
  return array.read().values<std::int64_t>()[0];
}

class TensorFlowContainer : public Container {
 public:
  std::string_view name() const override { return "tensorflow"; }

  bool is_here(const Files& files, const std::string& path) const override {
    return find_prefix(*files, path).has_value();
  }

  // Checkpoints of several models may lie in one folder. Their steps do not tell them apart.
  std::vector<CheckpointEntry> list(const Files& files, const std::string& folder) const override {
    std::map<std::int64_t, std::string> found;
    const std::vector<std::string> all = prefixes_in(*files, folder);
    for (const std::string& prefix : all)
      found.emplace(step_in_name(io::name_of(prefix)), prefix);
    std::vector<CheckpointEntry> out;
    if (all.size() < 2 || found.size() < all.size()) return out;
    for (const auto& [step, prefix] : found)
      out.push_back({.step = step, .folder = prefix, .is_committed = true});
    return out;
  }

  Stored open(const Files& files, const std::string& path) const override {
    const std::string prefix = find_prefix(*files, path).value_or(path);
    const std::string index = files->full_name(str(prefix, kBundleIndex));
    io::Bundle bundle = io::read_bundle(*files, prefix);
    std::map<std::string, io::BundleTensor>& tensors = bundle.tensors;
    Stored out;
    for (const auto& [name, type] : bundle.unsupported)
      out.unreadable.emplace(name, str(index, ": '", name, "' has type ", type,
                                       " of TensorFlow, which is not supported"));
    NamedArrays arrays;
    for (auto& [name, tensor] : tensors) {
      std::vector<RawPiece> pieces;
      for (io::BundlePiece& piece : tensor.pieces) {
        auto verify = checksum_verifier(piece.crc, update_crc,
                                        str(files->full_name(piece.file), ": '", name, "'"));
        pieces.push_back({.ranges = std::move(piece.ranges),
                          .file = std::move(piece.file),
                          .places = {piece.place},
                          .verify = std::move(verify)});
      }
      try {
        arrays.add(path_of(name, tensors), raw_array(files, tensor.type, std::move(pieces)));
      } catch (const Error& error) {
        throw error.with_context(index);
      }
    }
    out.arrays = arrays.take();
    out.step = step_of(out.arrays, prefix);
    out.is_verified = true;
    return out;
  }
};

}  // namespace

const Container& tensorflow_container() {
  static const TensorFlowContainer container;
  return container;
}

}  // namespace meshwright::checkpoint
