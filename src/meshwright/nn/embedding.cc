// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/embedding.h"

#include <utility>

#include "meshwright/graph/module_output.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/gather.h"

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
  return graph::module_output(take(p[table_], ids, 0));
}

Value Embedding::attend(Ctx& p, Value x) const {
  Scope scope(*this);
  DType out = x.dtype() == f64 ? f64 : f32;
  graph::DotDims dims;
  dims.lhs_contract = {x.rank() - 1};
  dims.rhs_contract = {1};
  return graph::dot_general(x, p[table_], std::move(dims), {.out = out});
}

}  // namespace meshwright::nn
