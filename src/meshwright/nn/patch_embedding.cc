// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/patch_embedding.h"

#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/sharding/module_output.h"

namespace meshwright::nn {

PatchEmbedding::PatchEmbedding(Module* parent, std::string name, const PatchOptions& o)
    : Module(parent,
             std::move(name),
             {{"patch_height", o.height}, {"patch_width", o.width}, {"channels", o.channels}}),
      options_(o),
      weight_(param("weight",
                    "patch_height patch_width channels embed",
                    o.init ? o.init : fan_in("patch_height patch_width channels"),
                    {.fan_axes = {.in = "channels", .out = "embed"}})),
      bias_(param("bias", "embed", zeros())) {}

Value PatchEmbedding::operator()(Ctx& p, Value images) const {
  Scope scope(*this);
  MW_CHECK(images.rank() == 4 && images.dim(1) % options_.height == 0 &&
               images.dim(2) % options_.width == 0 && images.dim(3) == options_.channels,
           "patch embedding: patches of ", options_.height, "x", options_.width, "x",
           options_.channels, " do not tile images ", images, graph::origin(SourceLoc()));
  std::int64_t rows = images.dim(1) / options_.height, columns = images.dim(2) / options_.width;
  Value cut = reshape(cast(images, p.dtype()), {images.dim(0), rows, options_.height, columns,
                                                options_.width, options_.channels});
  Value x = graph::einsum(
      "batch rows height columns width channels, height width channels embed"
      " -> batch rows columns embed",
      cut, p[weight_]);
  x = reshape(x, {images.dim(0), rows * columns, x.dim(3)}) + p[bias_];
  return graph::module_output(x);
}

}  // namespace meshwright::nn
