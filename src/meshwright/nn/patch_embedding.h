// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/nn/context.h"

namespace meshwright::nn {

struct PatchOptions {
  std::int64_t height = 16, width = 16, channels = 3;
  Init init = {};  // absent: variance 1 / inputs
};

/// Images cut into patches, each of which becomes a vector: a convolution that moves by its own
/// size, with a bias.
class PatchEmbedding : public Module {
 public:
  PatchEmbedding(Module* parent, std::string name, const PatchOptions& options = {});

  /// images: batch height width channels; gives batch patches embed, row by row. Throws
  /// invalid_argument if the patches do not fill the image.
  Value operator()(Ctx& p, Value images) const;

 private:
  PatchOptions options_;
  Param weight_, bias_;
};

}  // namespace meshwright::nn
