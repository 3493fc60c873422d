// SPDX-License-Identifier: Apache-2.0
// Writes the bodies of stablehlo.reduce and similar ops: a few ops on scalars.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/graph/text/writer.h"

namespace meshwright::graph {

class ScalarBody {
 public:
  ScalarBody(Writer& writer, const std::vector<DType>& args);

  const TextScalar& arg(std::size_t i) const { return args_[i]; }
  TextScalar op(std::string_view mlir,
                std::initializer_list<TextScalar> operands,
                DType result,
                std::string_view attrs = {});
  /// `direction` is a comparison direction of stablehlo.compare, such as "GT".
  TextScalar compare(std::string_view direction, const TextScalar& a, const TextScalar& b);
  /// Returns the text of the region for Writer::op_with_regions.
  std::string returning(std::initializer_list<TextScalar> results) const;

 private:
  Writer& writer_;
  std::vector<TextScalar> args_;
  std::string lines_;
};

/// Returns a body that combines two scalars with an op such as "stablehlo.add".
std::string reducer(Writer& writer, std::string_view mlir, DType dtype);

/// Returns the attributes of stablehlo.compare for a direction such as "GT" and a dtype.
std::string compare_attributes(std::string_view direction, DType dtype);

}  // namespace meshwright::graph
