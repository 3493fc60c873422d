// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/arctangent.h"

#include <array>
#include <span>

#include "meshwright/graph/text/scalar_body.h"

namespace meshwright::graph {

void write_arctangent(Writer& writer, const Node& node, const TextValue& y, const TextValue& x) {
  // XLA:CPU (jaxlib 0.10.2 to 0.11.2, jax-ml/jax#39352) replaces atan2(y, 1) by a vector function
  // that returns garbage. The select hides a constant x from XLA; it changes x only where y is NaN,
  // and there the result is NaN for any x.
  TextValue is_number =
      writer.aside("stablehlo.compare", {y, y}, compare_attributes("EQ", y.type.dtype),
                   ArrayType{DType::pred, y.type.dims});
  std::array operands = {y, writer.aside("stablehlo.select", {is_number, x, y}, {}, y.type)};
  auto result = writer.write_op("stablehlo.atan2", operands, "", {}, std::span(&y.type, 1),
                                writer.location(node));
  writer.set_name(node, result[0].name);
}

}  // namespace meshwright::graph
