// SPDX-License-Identifier: Apache-2.0
#include "meshwright/systems/t5x/t5x_params.h"

#include <cstdint>
#include <optional>
#include <string_view>

#include "meshwright/base/str.h"
#include "meshwright/train/foreign/state_folders.h"

namespace meshwright::systems {
namespace {

using models::EncoderDecoderConfig;

constexpr std::string_view kSlotFolder = "/param_states/";

struct LayerStack {
  std::string_view name;
  std::int64_t num_layers;
  bool is_decoder;
};

class Names {
 public:
  explicit Names(const EncoderDecoderConfig& config) : c_(config) {}

  ForeignArrays all() && {
    add("embedding/table", "token_embedder/embedding");
    add_stack({"encoder", c_.encoder_layers, false});
    add_stack({"decoder", c_.decoder_layers, true});
    if (!c_.tied_embedding) add("unembed", "decoder/logits_dense/kernel");
    return std::move(out_);
  }

 private:
  ForeignArray& add(std::string_view native, std::string_view t5x) {
    ForeignArray& array = out_[std::string(native)];
    array.path = t5x;
    return array;
  }

  // Heads are a dimension of their own here, and so is a group of queries, of which T5 has one.
  ForeignArray::Span joined_heads(std::size_t dim, Dims inner) const {
    const std::int64_t size = c_.heads * c_.dim;
    return {.dim = dim, .inner = std::move(inner), .size = size, .count = size};
  }

  void add_stack(const LayerStack& stack) {
    const std::string folder = str(stack.name, "/");
    // Here [buckets, heads, 1], there [heads, buckets].
    ForeignArray& bias = add(str(stack.name, "_bias/table"), folder + "relpos_bias/rel_embedding");
    bias.order = {1, 2, 0};
    bias.span = {.dim = 0, .inner = {1}, .size = c_.heads, .count = c_.heads};
    add(folder + "final_norm/scale", str(folder, stack.name, "_norm/scale"));
    const std::string_view self = stack.is_decoder ? "self_attention" : "attention";
    add_norm(stack, "norm_attention", str("pre_", self));
    add_attention(stack, "attention", self);
    if (stack.is_decoder) {
      add_norm(stack, "norm_cross", "pre_cross_attention");
      add_attention(stack, "cross_attention", "encoder_decoder_attention");
    }
    add_norm(stack, "norm_mlp", "pre_mlp");
    add_mlp(stack);
  }

  ForeignArray& add_layers(const LayerStack& stack, std::string_view native, std::string_view t5x) {
    ForeignArray& array =
        add(str(stack.name, "/layers/", native), str(stack.name, "/layers_#/", t5x));
    array.num_rows = stack.num_layers;
    return array;
  }

  void add_norm(const LayerStack& stack, std::string_view native, std::string_view t5x) {
    add_layers(stack, str(native, "/scale"), str(t5x, "_layer_norm/scale"));
  }

  void add_attention(const LayerStack& stack, std::string_view native, std::string_view t5x) {
    const auto kernel = [&](std::string_view name, std::string_view theirs) -> ForeignArray& {
      return add_layers(stack, str(native, "/", name), str(t5x, "/", theirs, "/kernel"));
    };
    kernel("w_q", "query").span = joined_heads(1, {1, c_.dim});
    kernel("w_k", "key").span = joined_heads(1, {c_.dim});
    kernel("w_v", "value").span = joined_heads(1, {c_.dim});
    kernel("w_o", "out").span = joined_heads(0, {1, c_.dim});
  }

  void add_mlp(const LayerStack& stack) {
    if (c_.gated_mlp) add_layers(stack, "mlp/w_gate", "mlp/wi_0/kernel");
    add_layers(stack, "mlp/w_up", c_.gated_mlp ? "mlp/wi_1/kernel" : "mlp/wi/kernel");
    add_layers(stack, "mlp/w_down", "mlp/wo/kernel");
  }

  const EncoderDecoderConfig& c_;
  ForeignArrays out_;
};

constexpr std::string_view kRows = "v_row", kColumns = "v_col";

// In layers, our rows are the width of the model and our columns the rest. T5X's rows are those of
// the smaller dimension or, if both are equal, the first one.
bool has_our_rows(const EncoderDecoderConfig& c, const ForeignArray& kernel) {
  const bool is_mlp = !kernel.span;
  const std::int64_t width = c.embed, rest = is_mlp ? c.mlp : c.heads * c.dim;
  const bool is_width_last =
      kernel.path.ends_with("/out/kernel") || kernel.path.ends_with("/wo/kernel");
  return is_width_last ? rest > width : rest >= width;
}

// A matrix of a layer has sums over its rows and columns, of which the joined heads are one.
ForeignArray factor_of(const EncoderDecoderConfig& c, const ForeignArray& param, bool is_row) {
  const bool has_heads = !is_row && param.num_rows > 0 && param.span;
  const bool stays = param.num_rows == 0 || has_our_rows(c, param);
  ForeignArray out{.path = str(param.path, "/", is_row == stays ? kRows : kColumns)};
  out.num_rows = param.num_rows;
  if (has_heads) {
    out.span = param.span;
    out.span->dim = 0;
  }
  return out;
}

std::optional<ForeignArray> slot_of(const EncoderDecoderConfig& config,
                                    const ForeignArray& param,
                                    std::string_view slot) {
  ForeignArray out;
  if (slot == kRows || slot == kColumns) {
    out = factor_of(config, param, slot == kRows);
  } else if (slot == "m" || slot == "v") {
    out = param;
    out.path = str(param.path, "/", slot);
  } else {
    return std::nullopt;
  }
  out.path = "state/param_states/" + out.path;
  out.may_be_unused = true;
  return out;
}

// Finds the slot of "learner/.../param_states/SLOT/PARAM".
std::optional<ForeignArray> find_slot(const EncoderDecoderConfig& config,
                                      const ForeignArrays& params,
                                      std::string_view path) {
  const std::size_t at = path.find(kSlotFolder);
  if (at == path.npos) return std::nullopt;
  const std::string_view rest = path.substr(at + kSlotFolder.size());
  const std::size_t slash = rest.find('/');
  if (slash == rest.npos) return std::nullopt;
  const auto param = params.find(std::string(rest.substr(slash + 1)));
  if (param == params.end()) return std::nullopt;
  return slot_of(config, param->second, rest.substr(0, slash));
}

}  // namespace

ForeignArrays t5x_params(const EncoderDecoderConfig& config) {
  constexpr int kBuckets = 32, kDistance = 128;
  if (config.num_buckets != kBuckets || config.max_distance != kDistance) return {};
  return Names(config).all();
}

ForeignArrays t5x_state(const EncoderDecoderConfig& config,
                        const ForeignArrays& params,
                        const std::vector<std::string>& paths) {
  ForeignArrays out = train::arrays_in({.params = "target"}, params, paths);
  for (const std::string& path : paths) {
    if (path == "learner/count") out[path] = {.path = "state/step"};
    if (auto slot = find_slot(config, params, path)) out[path] = *std::move(slot);
  }
  return out;
}

}  // namespace meshwright::systems
