// SPDX-License-Identifier: Apache-2.0
// Vision transformers with a classifier, as in Big Vision.
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/nn/linear.h"
#include "meshwright/nn/patch_embedding.h"
#include "meshwright/nn/pooling.h"
#include "meshwright/nn/transformer.h"

namespace meshwright::models {

using graph::Value;
using nn::Ctx;

enum class ImagePositions { learned, sincos_2d };
/// How to reduce the patches to one vector: attention with a learned query, the mean, or a class
/// token.
enum class Pooling { attention, mean, first };

struct VitConfig {
  std::int64_t height = 224, width = 224, channels = 3, patch = 16;
  std::int64_t classes = 1000, layers = 12, embed = 768, heads = 12, mlp = 3072;
  ImagePositions positions = ImagePositions::learned;
  Pooling pooling = Pooling::mean;
  double dropout = 0;
  nn::StackForm stack = nn::StackForm::scanned;
  std::optional<graph::SavePolicy> remat = {};
  DType param_dtype = DType::f32;
};

class Vit : public nn::Module {
 public:
  /// Throws invalid_argument if the number of heads does not divide the width of the model.
  explicit Vit(VitConfig config);

  const VitConfig& config() const { return config_; }

  /// Maps images (batch height width channels) to batch patches embed. Pooling::first adds a class
  /// token in front of the patches.
  Value features(Ctx& p, Value images) const;
  /// Returns the logits: f32 (f64 for f64), batch classes.
  Value logits(Ctx& p, Value images) const;

 private:
  Value with_positions(Ctx& p, Value x) const;
  Value pooled(Ctx& p, Value x) const;

  VitConfig config_;
  nn::PatchEmbedding patches_;
  nn::Param position_, first_;
  nn::Dropout dropout_;
  nn::Transformer encoder_;
  std::optional<nn::AttentionPool> pool_;
  nn::Linear head_;
};

}  // namespace meshwright::models
