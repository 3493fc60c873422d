// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/kernels/cross_entropy/cross_entropy.h"
#include "meshwright/nn/context.h"

namespace meshwright::nn {

/// An embedding table, "vocab embed".
class Embedding : public Module {
 public:
  Embedding(Module* parent,
            std::string name,
            const std::string& rows,
            const std::string& columns,
            Init init = normal(1.0));

  /// Returns the vector of each id along a new last axis, or NaN for an id out of range.
  Value operator()(Ctx& p, Value ids) const;
  /// Returns the projection of an output layer tied to this table, whose logits are the dot
  /// products of x and all vectors.
  kernels::Projection projection(Ctx& p, Value x) const;

 private:
  Param table_;
};

}  // namespace meshwright::nn
