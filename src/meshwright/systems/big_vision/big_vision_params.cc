// SPDX-License-Identifier: Apache-2.0
#include "meshwright/systems/big_vision/big_vision_params.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "meshwright/base/str.h"

namespace meshwright::systems {
namespace {

using models::VitConfig;

// Models that scan over layers have encoderblock instead of encoderblock_#.
std::string without_row(std::string path) {
  constexpr std::string_view kRow = "_#";
  return path.erase(path.find(kRow), kRow.size());
}

class VitNames {
 public:
  explicit VitNames(const VitConfig& config) : c_(config) {}

  ForeignArrays all() && {
    add("patches/weight", "embedding/kernel");
    add("patches/bias", "embedding/bias");
    add_leading("first", "cls", c_.pooling == models::Pooling::first);
    add_leading("position", "pos_embedding", c_.positions == models::ImagePositions::learned);
    add_layers();
    add_norm("encoder/final_norm", "Transformer/encoder_norm");
    if (c_.pooling == models::Pooling::attention) add_pool();
    add("head/weight", "head/kernel");
    add("head/bias", "head/bias");
    return std::move(out_);
  }

 private:
  ForeignArray& add(const std::string& native, const std::string& theirs) {
    ForeignArray& array = out_[native];
    array.path = theirs;
    array.num_rows = num_rows_;
    if (num_rows_ > 0) array.path_of_all_rows = without_row(theirs);
    return array;
  }

  // Arrays that have a first dimension of 1 there.
  void add_leading(const std::string& native, const std::string& theirs, bool is_there) {
    if (is_there) add(native, theirs).slice = ForeignArray::Slice{};
  }

  void add_norm(const std::string& native, const std::string& theirs) {
    for (const char* name : {"scale", "bias"})
      add(str(native, "/", name), str(theirs, "/", name));
  }

  // Queries have a dimension for those that share a key, here 1.
  void add_attention(const std::string& native, const std::string& theirs) {
    const auto joined = [&](std::size_t dim) {
      return ForeignArray::Span{.dim = dim, .inner = {1}, .size = c_.heads, .count = c_.heads};
    };
    const auto add_pair = [&](std::string_view letter, std::string_view name) {
      add(str(native, "/w_", letter), str(theirs, "/", name, "/kernel"));
      add(str(native, "/b_", letter), str(theirs, "/", name, "/bias"));
    };
    add_pair("q", "query"), add_pair("k", "key"), add_pair("v", "value"), add_pair("o", "out");
    out_[native + "/w_q"].span = joined(1);
    out_[native + "/b_q"].span = joined(0);
    out_[native + "/w_o"].span = joined(0);
  }

  void add_mlp(const std::string& native, const std::string& theirs) {
    for (const auto& [ours, dense] : {std::pair("up", "Dense_0"), {"down", "Dense_1"}}) {
      add(str(native, "/w_", ours), str(theirs, "/", dense, "/kernel"));
      add(str(native, "/b_", ours), str(theirs, "/", dense, "/bias"));
    }
  }

  void add_layers() {
    num_rows_ = c_.layers;
    const std::string native = "encoder/layers/", theirs = "Transformer/encoderblock_#/";
    add_norm(native + "norm_attention", theirs + "LayerNorm_0");
    add_attention(native + "attention", theirs + "MultiHeadDotProductAttention_0");
    add_norm(native + "norm_mlp", theirs + "LayerNorm_1");
    add_mlp(native + "mlp", theirs + "MlpBlock_0");
    num_rows_ = 0;
  }

  void add_pool() {
    add_leading("pool/probe", "MAPHead_0/probe", true);
    add_attention("pool/attention", "MAPHead_0/MultiHeadDotProductAttention_0");
    add_norm("pool/norm", "MAPHead_0/LayerNorm_0");
    add_mlp("pool/mlp", "MAPHead_0/MlpBlock_0");
  }

  const VitConfig& c_;
  std::int64_t num_rows_ = 0;
  ForeignArrays out_;
};

}  // namespace

ForeignArrays big_vision_params(const VitConfig& config) {
  return VitNames(config).all();
}

}  // namespace meshwright::systems
