// SPDX-License-Identifier: Apache-2.0
#include "meshwright/systems/t5x/mesh_tensorflow.h"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/base/regex.h"
#include "meshwright/base/regex_template.h"
#include "meshwright/checkpoint/contents/cast.h"

namespace meshwright::systems {
namespace {

using checkpoint::Stored;
using checkpoint::StoredArray;

struct T5Rename {
  Regex from;
  std::string to;
};

// A model without an encoder has a tower "transformer", which is T5X's decoder.
struct Tower {
  std::string_view name, t5x;
  std::vector<std::string_view> norms;  // before each layer of a block
};
const std::vector<Tower>& towers() {
  static const std::vector<Tower> all = {
      {"encoder", "encoder", {"pre_attention", "pre_mlp"}},
      {"decoder", "decoder", {"pre_self_attention", "pre_cross_attention", "pre_mlp"}},
      {"transformer", "decoder", {"pre_self_attention", "pre_mlp"}}};
  return all;
}

void add_tower(const Tower& tower, std::vector<T5Rename>& out) {
  const bool is_encoder = tower.t5x == "encoder";
  const auto add = [&](const std::string& from, const std::string& to) {
    out.push_back({Regex(str(tower.name, "/", from)), str(tower.t5x, "/", to)});
  };
  const std::string block = R"(block_0*(\d+)/)", layer = R"(layers_\1/)";
  add("embedding", "token_embedder/embedding");
  add(block + "layer_000/SelfAttention/relative_attention_bias",
      layer + "relpos_bias/rel_embedding");
  const std::string self = is_encoder ? "attention" : "self_attention";
  const std::string cross = is_encoder ? "attention" : "encoder_decoder_attention";
  for (const auto& [kind, t5x] : {std::pair("SelfAttention", self), {"EncDecAttention", cross}}) {
    for (const auto& [matrix, name] :
         {std::pair("q", "query"), {"k", "key"}, {"v", "value"}, {"o", "out"}})
      add(str(block, R"(layer_\d+/)", kind, "/", matrix), str(layer, t5x, "/", name, "/kernel"));
  }
  add(block + R"(layer_\d+/DenseReluDense/(w[io](?:_\d+)?)/kernel)", layer + R"(mlp/\2/kernel)");
  for (std::size_t i = 0; i < tower.norms.size(); ++i)
    add(str(block, "layer_0*", i, "/(?:layer|rms)_norm/scale"),
        str(layer, tower.norms[i], "_layer_norm/scale"));
  add("(?:final_layer|rms)_norm/scale", str(tower.t5x, "_norm/scale"));
  if (!is_encoder) add("logits/kernel", "logits_dense/kernel");
}

std::vector<T5Rename> renames() {
  std::vector<T5Rename> out = {{Regex("shared/embedding"), "token_embedder/embedding"}};
  for (const Tower& tower : towers())
    add_tower(tower, out);
  return out;
}

// A slot of Adafactor is stored beside its parameter: "NAME_slot_vr".
struct Slot {
  std::string_view suffix, name;
};
constexpr std::array kSlots = {Slot{"_slot_vc", "v_col"}, Slot{"_slot_vr", "v_row"},
                               Slot{"_slot_v", "v"}, Slot{"_slot_m", "m"}};

std::string below_target(const std::string& param) {
  return "target/" + param;
}
std::string slot_path(const std::string& param, std::string_view slot) {
  return str("state/param_states/", param, "/", slot);
}

// Returns the path in T5X; nullopt for an unknown name.
std::optional<std::string> t5x_path(std::string_view name, const std::vector<T5Rename>& rules) {
  std::string_view slot;
  for (const Slot& known : kSlots) {
    if (!name.ends_with(known.suffix)) continue;
    name.remove_suffix(known.suffix.size());
    slot = known.name;
    break;
  }
  for (const T5Rename& rule : rules) {
    const std::optional<std::string> param = expand_match(rule.from, name, rule.to);
    if (param) return slot.empty() ? below_target(*param) : slot_path(*param, slot);
  }
  return std::nullopt;
}

// T5 shares the bias of relative positions of block 0 with all others, unless others have one.
std::map<std::string, StoredArray> with_shared_bias(std::map<std::string, StoredArray> arrays) {
  static const Regex biases(R"((.*/)layers_(\d+)/(relpos_bias/.*))");
  std::map<std::string, StoredArray> out;
  for (auto& [path, array] : arrays) {
    const auto groups = biases.groups(path);
    if (groups && groups->at(2) != "0") return arrays;
    out.emplace(groups ? str(groups->at(1), groups->at(3)) : path, array);
  }
  return out;
}

// T5X's Adafactor has four slots for each parameter; those it does not use have one zero.
void add_empty_slots(std::map<std::string, StoredArray>& arrays) {
  const StoredArray zero = checkpoint::stored_value(HostTensor(ArrayType{f32, {1}}));
  std::set<std::string> params;
  for (const auto& [path, array] : arrays)
    if (path.starts_with(below_target(""))) params.insert(path.substr(below_target("").size()));
  for (const std::string& param : params) {
    const auto has = [&](std::string_view slot) { return arrays.contains(slot_path(param, slot)); };
    const auto add = [&](std::string_view slot) { arrays.emplace(slot_path(param, slot), zero); };
    const bool is_whole = has("v"), is_factored = has("v_row");
    add("m");
    if (is_whole) add("v_row"), add("v_col");
    if (is_factored) add("v");
  }
}

}  // namespace

Stored from_mesh_tensorflow(const Stored& stored) {
  const std::vector<T5Rename> rules = renames();
  std::map<std::string, StoredArray> arrays;
  std::vector<std::string> unknown;
  for_each(stored.arrays, [&](const std::string& name, const StoredArray& array) {
    if (name == "global_step") {
      arrays.emplace("state/step", checkpoint::cast(array, s32));
    } else if (const std::optional<std::string> path = t5x_path(name, rules)) {
      const bool is_new = arrays.emplace(*path, array).second;
      MW_CHECK(is_new, kMeshTensorFlow, ": '", name, "' and another array would both be '", *path,
               "'");
    } else {
      unknown.push_back(name);
    }
  });
  MW_CHECK(unknown.empty(), kMeshTensorFlow, ": these arrays are not those of a T5 model:\n  ",
           join(unknown, "\n  "));
  arrays = with_shared_bias(std::move(arrays));
  add_empty_slots(arrays);
  Stored out = stored;
  out.arrays = {};
  for (auto& [path, array] : arrays)
    out.arrays[path] = std::move(array);
  return out;
}

}  // namespace meshwright::systems
