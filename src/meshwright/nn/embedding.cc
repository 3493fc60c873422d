// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/embedding.h"

#include <utility>

#include "meshwright/graph/sharding/module_output.h"
#include "meshwright/kernels/embedding/embedding.h"

namespace meshwright::nn {

Embedding::Embedding(Module* parent,
                     std::string name,
                     const std::string& rows,
                     const std::string& columns,
                     Init init)
    : Module(parent, std::move(name)),
      table_(param("table", AxisSpec::parse(rows + " " + columns), std::move(init))) {}

Value Embedding::operator()(Ctx& p, Value ids) const {
  Scope scope(*this);
  return graph::module_output(kernels::embedding(p.stored(table_), ids, p.dtype()));
}

kernels::Projection Embedding::projection(Ctx& p, Value x) const {
  return {.x = x, .table = p.wide(table_), .vocab_first = true};
}

}  // namespace meshwright::nn
