// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/containers/tensorflow.h"

#include <map>
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

constexpr std::string_view kBundleIndex = ".index";

std::uint32_t update_crc(std::uint32_t before, std::span<const std::byte> bytes) {
  return crc32c(io::as_text(bytes), before);
}

std::optional<std::string> find_prefix(const io::FileSystem& files, const std::string& path) {
  if (io::is_folder(files, path)) return io::find_bundle_prefix(files, path);
  if (io::is_file(files, path + std::string(kBundleIndex))) return path;
  if (path.ends_with(kBundleIndex) && files.find(path)) {
    const std::string prefix = path.substr(0, path.size() - kBundleIndex.size());
    const std::string start = io::name_of(prefix) + ".data-";
    for (const io::FolderEntry& entry : files.list(io::parent_of(path)))
      if (entry.name.starts_with(start)) return prefix;
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

  Stored open(const Files& files, const std::string& path) const override {
    const std::string prefix = find_prefix(*files, path).value_or(path);
    const std::string index = files->full_name(prefix + std::string(kBundleIndex));
    std::map<std::string, io::BundleTensor> tensors = io::read_bundle(*files, prefix);
    Stored out;
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
