// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/linear.h"

#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/sharding/module_output.h"
#include "meshwright/kernels/linear/linear.h"

namespace meshwright::nn {

Linear::Linear(Module* parent,
               std::string name,
               const std::string& in,
               const std::string& out,
               LinearOptions options)
    : Module(parent, std::move(name)),
      in_(in),
      out_(out),
      weight_(param("weight",
                    AxisSpec::parse(in + " " + out),
                    options.init ? std::move(options.init) : fan_in(in),
                    {.fan_axes = {.in = in}})) {
  if (options.bias) bias_ = param("bias", AxisSpec::parse(out), std::move(options.bias_init));
}

Value Linear::operator()(Ctx& p, Value x, SourceLoc loc) const {
  Scope scope(*this);
  return graph::module_output(
      product(in_, out_, x, p[weight_], {.bias = bias_.is_null() ? Value() : p[bias_]}, loc));
}

namespace {

// Returns text such as "batch" or "batch len"; the names of further axes are unique.
std::string lead_axes(std::int64_t rank) {
  std::string out;
  for (std::int64_t d = 0; d < rank; ++d)
    out += d == 0 ? "batch" : d == 1 ? " len" : str(" lead", d);
  return out;
}

}  // namespace

Value product(const std::string& in,
              const std::string& out,
              Value x,
              Value weight,
              const ProductOptions& options,
              SourceLoc loc) {
  const auto num_in = std::ssize(AxisSpec::parse(in).names());
  MW_CHECK(x.rank() >= num_in, "product: ", x, " lacks the axes [", in, "]", graph::origin(loc));
  return kernels::linear({lead_axes(x.rank() - num_in), in, out, options.is_transposed}, x, weight,
                         {.bias = options.bias,
                          .out = options.dtype,
                          .activation = options.activation,
                          .factor = options.factor},
                         loc);
}

}  // namespace meshwright::nn
