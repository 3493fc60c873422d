// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/text/scalar_body.h"

#include <span>

namespace meshwright::graph {
namespace {

std::string names_of(std::span<const TextScalar> scalars) {
  std::string out;
  for (const TextScalar& scalar : scalars)
    out += str(out.empty() ? "" : ", ", scalar.name);
  return out;
}

std::string types_of(std::span<const TextScalar> scalars) {
  std::string out;
  for (const TextScalar& scalar : scalars)
    out += str(out.empty() ? "" : ", ", mlir_type({scalar.dtype, {}}));
  return out;
}

}  // namespace

ScalarBody::ScalarBody(Writer& writer, const std::vector<DType>& args) : writer_(writer) {
  for (DType dtype : args)
    args_.push_back({writer.fresh_name(), dtype});
}

TextScalar ScalarBody::op(std::string_view mlir,
                          std::initializer_list<TextScalar> operands,
                          DType result,
                          std::string_view attrs) {
  TextScalar out{writer_.fresh_name(), result};
  lines_ += str(out.name, " = \"", mlir, "\"(", names_of(operands), ")");
  if (!attrs.empty()) lines_ += str(" <{", attrs, "}>");
  lines_ += str(" : (", types_of(operands), ") -> ", mlir_type({result, {}}), "\n");
  return out;
}

TextScalar ScalarBody::compare(std::string_view direction,
                               const TextScalar& a,
                               const TextScalar& b) {
  return op("stablehlo.compare", {a, b}, DType::pred, compare_attributes(direction, a.dtype));
}

std::string ScalarBody::returning(std::initializer_list<TextScalar> results) const {
  std::string head;
  for (const TextScalar& scalar : args_) {
    head += str(head.empty() ? "" : ", ", scalar.name, ": ", mlir_type({scalar.dtype, {}}));
  }
  return str("{\n^bb0(", head, "):\n", lines_, "\"stablehlo.return\"(", names_of(results), ") : (",
             types_of(results), ") -> ()\n}");
}

std::string reducer(Writer& writer, std::string_view mlir, DType dtype) {
  ScalarBody body(writer, {dtype, dtype});
  return body.returning({body.op(mlir, {body.arg(0), body.arg(1)}, dtype)});
}

std::string compare_attributes(std::string_view direction, DType dtype) {
  const char* kind = is_float(dtype) ? "FLOAT" : is_signed(dtype) ? "SIGNED" : "UNSIGNED";
  return str("comparison_direction = #stablehlo<comparison_direction ", direction,
             ">, compare_type = #stablehlo<comparison_type ", kind, ">");
}

}  // namespace meshwright::graph
