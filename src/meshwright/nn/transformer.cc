// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/transformer.h"

#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/sharding/module_output.h"

namespace meshwright::nn {

using graph::constrain;

TransformerLayer::TransformerLayer(Module* parent, std::string name, const TransformerOptions& o)
    : Module(parent, std::move(name)),
      norm_attention_(this, "norm_attention", o.attention.embed, o.norm),
      attention_(this, "attention", o.attention),
      norm_mlp_(this, "norm_mlp", o.mlp.embed, o.norm),
      mlp_(this, "mlp", o.mlp),
      dropout_attention_(this, "dropout_attention", o.dropout),
      dropout_cross_(this, "dropout_cross", o.dropout),
      dropout_mlp_(this, "dropout_mlp", o.dropout) {
  if (!o.cross_attention) return;
  norm_cross_.emplace(this, "norm_cross", o.cross_attention->embed, o.norm);
  cross_attention_.emplace(this, "cross_attention", *o.cross_attention);
}

Value TransformerLayer::operator()(Ctx& p, Value x, const TransformerInputs& inputs) const {
  Scope scope(*this);
  Value mixed = attention_(p, norm_attention_(p, x), inputs.self);
  x = constrain(x + dropout_attention_(p, mixed), "batch len embed");
  if (cross_attention_) {
    mixed = (*cross_attention_)(p, (*norm_cross_)(p, x), inputs.cross);
    x = constrain(x + dropout_cross_(p, mixed), "batch len embed");
  }
  x = x + dropout_mlp_(p, mlp_(p, norm_mlp_(p, x)));
  return graph::module_output(x, "batch len embed");
}

const Attention& TransformerLayer::cross_attention() const {
  MW_CHECK(cross_attention_, "module '", path(), "' has no cross-attention");
  return *cross_attention_;
}

Transformer::Transformer(Module* parent,
                         std::string name,
                         std::int64_t num_layers,
                         const TransformerOptions& options,
                         StackOptions stack)
    : Module(parent, std::move(name), {{"layers", num_layers}}),
      layers_(this, "layers", std::move(stack), options),
      final_norm_(this, "final_norm", options.attention.embed, options.norm) {}

Value Transformer::operator()(Ctx& p, Value x, const TransformerInputs& inputs) const {
  Scope scope(*this);
  return graph::module_output(final_norm_(p, layers_(p, x, inputs)));
}

}  // namespace meshwright::nn
