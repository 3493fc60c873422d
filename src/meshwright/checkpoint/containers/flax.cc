// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/containers/flax.h"

#include <map>

#include "meshwright/base/error.h"
#include "meshwright/checkpoint/contents/flax_tree.h"
#include "meshwright/checkpoint/format/named_arrays.h"
#include "meshwright/checkpoint/formats/t5x.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

constexpr std::string_view kMsgpackSuffix = ".msgpack";

class FlaxContainer : public Container {
 public:
  std::string_view name() const override { return "flax"; }

  // flax's own trainers name files as T5X names folders.
  bool is_here(const Files& files, const std::string& path) const override {
    const std::string name = io::name_of(path);
    const bool is_named = name.ends_with(kMsgpackSuffix) || t5x_format().find_step(name);
    return is_named && io::is_msgpack_map(*files, path);
  }

  std::vector<CheckpointEntry> list(const Files& files, const std::string& folder) const override {
    std::map<std::int64_t, CheckpointEntry> found;
    for (const io::FolderEntry& entry : files->list(folder)) {
      const std::string path = io::join_path(folder, entry.name);
      const std::optional<std::int64_t> step = t5x_format().find_step(entry.name);
      if (!step || entry.kind != io::FileKind::file || !is_here(files, path)) continue;
      found[*step] = {.step = *step, .folder = path, .is_committed = true};
    }
    std::vector<CheckpointEntry> out;
    for (const auto& [step, entry] : found)
      out.push_back(entry);
    return out;
  }

  Stored open(const Files& files, const std::string& path) const override {
    const std::string name = files->full_name(path);
    const io::Msgpack tree = io::parse_msgpack(*files->open(path), name);
    Stored out{.step = t5x_format().find_step(io::name_of(path)).value_or(0)};
    NamedArrays arrays;
    for_each_flax_leaf(tree, out.structure, [&](const std::string& leaf, const io::Msgpack& value) {
      try {
        if (auto array = find_flax_array(value, files, path)) arrays.add(leaf, *std::move(array));
      } catch (const Error& error) {
        throw error.with_context(name);
      }
    });
    out.arrays = arrays.take(out.structure);
    return out;
  }
};

}  // namespace

const Container& flax_container() {
  static const FlaxContainer container;
  return container;
}

}  // namespace meshwright::checkpoint
