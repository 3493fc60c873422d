// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/linear.h"

#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/module_output.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::nn {

Linear::Linear(Module* parent,
               std::string name,
               const std::string& in,
               const std::string& out,
               LinearOptions options)
    : Module(parent, std::move(name)),
      num_in_(std::ssize(AxisSpec::parse(in).names())),
      weight_(param("weight",
                    AxisSpec::parse(in + " " + out),
                    options.init ? std::move(options.init) : fan_in(in),
                    {.fan_axes = {.in = in}})) {
  if (options.bias) bias_ = param("bias", AxisSpec::parse(out), std::move(options.bias_init));
}

Value Linear::operator()(Ctx& p, Value x, SourceLoc loc) const {
  Scope scope(*this);
  Value out = product(x, p[weight_], num_in_, loc);
  return graph::module_output(bias_.is_null() ? out : out + p[bias_]);
}

Value product(Value x, Value w, std::int64_t num_contracted, SourceLoc loc) {
  MW_CHECK(x.rank() >= num_contracted && w.rank() >= num_contracted, "product of ", x, " and ", w,
           " over ", num_contracted, " dimensions", graph::origin(loc));
  graph::DotDims dims;
  for (std::int64_t i = 0; i < num_contracted; ++i) {
    dims.lhs_contract.push_back(x.rank() - num_contracted + i);
    dims.rhs_contract.push_back(i);
  }
  return graph::dot_general(x, w, std::move(dims), {}, loc);
}

}  // namespace meshwright::nn
