// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/nn/context.h"

namespace meshwright::nn {

struct PatchOptions {
  std::int64_t height = 16, width = 16, channels = 3;
  Init init = {};  // defaults to variance 1 / inputs
};

/// Splits images into patches and embeds each as a vector: a convolution whose stride equals its
/// window, with a bias.
class PatchEmbedding : public Module {
 public:
  PatchEmbedding(Module* parent, std::string name, const PatchOptions& options = {});

  /// Maps images (batch height width channels) to batch patches embed, row by row. Throws
  /// invalid_argument if the patches do not tile the image.
  Value operator()(Ctx& p, Value images) const;

 private:
  PatchOptions options_;
  Param weight_, bias_;
};

}  // namespace meshwright::nn
