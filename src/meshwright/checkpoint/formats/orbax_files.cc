// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/formats/orbax_files.h"

#include <algorithm>
#include <vector>

#include "meshwright/base/json.h"

namespace meshwright::checkpoint {
namespace {

// Returns text such as "('model', 'w')", as Orbax writes it; any unique text would do.
std::string tuple_text(const std::vector<std::string_view>& names) {
  std::string out = "(";
  for (std::size_t i = 0; i < names.size(); ++i)
    out += str(i == 0 ? "'" : ", '", names[i], "'");
  return str(out, names.size() == 1 ? ",)" : ")");
}

// With value_type np.ndarray, Orbax restores without a sharding.
std::string orbax_tree(const CheckpointPlan& plan, bool is_ocdbt) {
  JsonWriter json;
  json.begin_object().key("tree_metadata").begin_object();
  for_each(plan.arrays, [&](const std::string& path, const ArrayPlan&) {
    std::vector<std::string_view> names = split_tree_path(path);
    json.key(tuple_text(names)).begin_object().key("key_metadata").begin_array();
    for (std::string_view name : names)
      json.begin_object().field("key", name).field("key_type", 2).end_object();
    json.end_array().key("value_metadata").begin_object();
    json.field("value_type", "np.ndarray").field("skip_deserialize", false).end_object();
    json.end_object();
  });
  json.end_object().field("use_ocdbt", is_ocdbt).field("use_zarr3", false);
  json.field("store_array_data_equal_to_fill_value", true).key("custom_metadata").null();
  return json.end_object().str();
}

std::string orbax_handlers(const CheckpointPlan& plan, bool has_step) {
  JsonWriter json;
  json.begin_object();
  json.field(
      "item_handlers",
      "orbax.checkpoint._src.handlers.standard_checkpoint_handler.StandardCheckpointHandler");
  json.key("metrics").begin_object().end_object();
  json.key("performance_metrics").begin_object().end_object();
  json.key("custom_metadata").begin_object();
  if (has_step) json.field(kOrbaxStep, plan.step);
  json.end_object();
  return json.end_object().str();
}

}  // namespace

std::string orbax_folder(const std::string& path) {
  std::string out = path;  // Orbax joins names with dots
  std::ranges::replace(out, '/', '.');
  return out;
}

void write_orbax_files(io::FileSystem& files,
                       const CheckpointPlan& plan,
                       const OrbaxFileOptions& options) {
  const auto write = [&](const char* file, const std::string& text) {
    io::write_text(files, file, text, io::Durability::synced);
  };
  write(kOrbaxTree, orbax_tree(plan, options.is_ocdbt));
  write(kOrbaxHandlers, orbax_handlers(plan, options.is_ocdbt));
  write(kOrbaxMarker, str(kOrbaxCommitted, options.name));
}

}  // namespace meshwright::checkpoint
