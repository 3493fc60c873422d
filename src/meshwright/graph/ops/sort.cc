// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/sort.h"

#include <array>
#include <limits>

#include "meshwright/base/check.h"
#include "meshwright/graph/core/literal.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/scatter.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/text/scalar_body.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

std::vector<Type> infer_sort(const Node& node) {
  const auto& options = node.attr<SortOptions>();
  // stablehlo: sort_c1, sort_c4
  if (options.dim < 0 || options.dim >= node.in(0).rank()) {
    reject(node, "there is no dimension ", options.dim, " in ", node.in(0));
  }
  if (options.num_keys < 1 || options.num_keys > node.num_operands()) {
    reject(node, options.num_keys, " keys given for ", node.num_operands(), " operands");
  }
  std::vector<Type> types;
  for (int i = 0; i < node.num_operands(); ++i) {
    // stablehlo: sort_c3
    if (node.in(i).dims != node.in(0).dims) {
      reject(node, "operand ", i, " is ", node.in(i), ", which differs in shape from ", node.in(0));
    }
    types.push_back(node.in(i));
  }
  return types;
}

// Replaces zeros by +0 and NaNs by one NaN. XLA's total order depends on the bit pattern: it puts
// -0 before +0, and NaNs at either end. XLA recognizes this form.
TextScalar sort_key(ScalarBody& body, const TextScalar& x) {
  if (!is_float(x.dtype)) return x;
  auto constant = [&](double number) {
    return body.op(
        "stablehlo.constant", {}, x.dtype,
        str("value = dense<", literal(number, x.dtype), "> : ", mlir_type({x.dtype, {}})));
  };
  TextScalar zero = constant(0);
  TextScalar is_zero = body.compare("EQ", x, zero);
  TextScalar key = body.op("stablehlo.select", {is_zero, zero, x}, x.dtype);
  TextScalar is_nan = body.compare("NE", x, x);
  TextScalar nan = constant(std::numeric_limits<double>::quiet_NaN());
  return body.op("stablehlo.select", {is_nan, nan, key}, x.dtype);
}

TextScalar compare_keys(ScalarBody& body,
                        std::string_view direction,
                        const TextScalar& a,
                        const TextScalar& b) {
  if (!is_float(a.dtype)) return body.compare(direction, a, b);
  return body.op("stablehlo.compare", {a, b}, DType::pred,
                 str("comparison_direction = #stablehlo<comparison_direction ", direction,
                     ">, compare_type = #stablehlo<comparison_type TOTALORDER>"));
}

// Returns a comparator that compares the first keys, if they are equal the second, and so on.
std::string comparator(Writer& writer, const Node& node) {
  const auto& options = node.attr<SortOptions>();
  std::vector<DType> pairs;
  for (const Value& operand : node.operands)
    pairs.insert(pairs.end(), 2, operand.dtype());
  ScalarBody body(writer, pairs);
  const char* direction = options.descending ? "GT" : "LT";
  TextScalar before;
  for (auto key = static_cast<std::size_t>(options.num_keys); key-- > 0;) {
    TextScalar a = sort_key(body, body.arg(2 * key));
    TextScalar b = sort_key(body, body.arg(2 * key + 1));
    TextScalar decided = compare_keys(body, direction, a, b);
    if (!before.name.empty()) {
      TextScalar equal = compare_keys(body, "EQ", a, b);
      TextScalar by_later = body.op("stablehlo.and", {equal, before}, DType::pred);
      decided = body.op("stablehlo.or", {decided, by_later}, DType::pred);
    }
    before = decided;
  }
  return body.returning({before});
}

void write_sort(Writer& writer, const Node& node) {
  const auto& options = node.attr<SortOptions>();
  std::string body = comparator(writer, node);
  writer.op_with_regions(node, "stablehlo.sort",
                         str("dimension = ", options.dim, " : i64, is_stable = ", options.stable),
                         std::span(&body, 1));
}

// Sorts the positions of the elements along with the operands, for put_back.
std::vector<Value> augment_sort(VjpContext& c) {
  std::vector<Value> operands;
  for (int i = 0; i < c.node().num_operands(); ++i)
    operands.push_back(c.operand(i));
  operands.push_back(iota(s32, c.node().in(0).dims, c.attr<SortOptions>().dim));
  return emit_all(kSort, std::move(operands), c.attr<SortOptions>(), {}, c.node().loc);
}

// Returns the gradient of x, given that of elements taken from it at these positions along `dim`.
// No position may occur twice.
Value put_back(const Type& x, Value indices, Value gradient, std::int64_t dim) {
  if (num_elements(indices.dims()) == 0) return zeros(x);
  return scatter_add(zeros(x), indices, gradient, along_dim(x.rank(), dim),
                     {.mode = OutOfBounds::promise, .unique_indices = true});
}

void sort_vjp(VjpContext& c) {
  for (int i = 0; i < c.node().num_operands(); ++i) {
    if (!c.has_cotangent(i)) continue;
    c.add(i, [&] {
      return put_back(c.node().in(i), c.kept()[0], c.cotangent(i), c.attr<SortOptions>().dim);
    });
  }
}

std::vector<Type> infer_top_k(const Node& node) {
  auto k = node.attr<std::int64_t>();
  const Type& x = node.in(0);
  if (x.rank() == 0 || k < 0 || k > x.dims.back()) {
    reject(node, "cannot take ", k, " elements along the last dimension of ", x);
  }
  if (bit_width(x.dtype) < 8) reject(node, "expects elements of at least 8 bits, got ", x);
  Dims dims = x.dims;
  dims.back() = k;
  return {Type(x.dtype, dims), Type(s32, dims)};
}

void write_top_k(Writer& writer, const Node& node) {
  writer.op(node, "chlo.top_k", str("k = ", node.attr<std::int64_t>(), " : i64"));
}

void top_k_vjp(VjpContext& c) {
  c.add(0, [&] {
    const Type& x = c.node().in(0);
    return put_back(x, c.result(1), c.cotangent(0), x.rank() - 1);
  });
}

}  // namespace

const OpDef kSort{.name = "sort",
                  .infer = infer_sort,
                  .write = write_sort,
                  .vjp = sort_vjp,
                  .augment = augment_sort};
const OpDef kTopK{.name = "top_k", .infer = infer_top_k, .write = write_top_k, .vjp = top_k_vjp};

std::vector<Value> sort(std::vector<Value> operands, SortOptions options, SourceLoc loc) {
  MW_CHECK(!operands.empty(), "sort: no arrays", origin(loc));
  options.dim = from_start(options.dim, operands[0].rank());
  return emit_all(kSort, std::move(operands), options, {}, loc);
}

Value sort(Value x, SortOptions options, SourceLoc loc) {
  return sort(std::vector<Value>{x}, options, loc)[0];
}

Value argsort(Value x, SortOptions options, SourceLoc loc) {
  options.dim = from_start(options.dim, x.rank());
  MW_CHECK(in_range(std::array{options.dim}, x.rank()), "argsort: there is no dimension ",
           options.dim, " in ", x, origin(loc));
  return sort({x, iota(s32, x.dims(), options.dim, loc)}, options, loc)[1];
}

TopK top_k(Value x, std::int64_t k, std::int64_t dim, SourceLoc loc) {
  Value last = swap_dims(x, dim, -1, loc);
  // XLA:CPU has a fast top-k only for f32. For other dtypes it sorts the whole array, and 4-bit
  // dtypes it rejects. Casting narrower numbers to f32 is exact.
  bool widened = is_float(x.dtype()) ? bit_width(x.dtype()) < 32 : bit_width(x.dtype()) < 8;
  if (widened) last = cast(Operand(last, loc), f32);
  std::vector<Value> found = emit_all(kTopK, {last}, k, {}, loc);
  if (widened) found[0] = cast(Operand(found[0], loc), x.dtype());
  return {swap_dims(found[0], dim, -1, loc), swap_dims(found[1], dim, -1, loc)};
}

}  // namespace meshwright::graph
