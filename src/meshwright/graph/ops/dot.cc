// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/dot.h"

#include <algorithm>

#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/contraction.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

void check_dims(const Node& node, const char* side, const Type& type, Dims batch, Dims contract) {
  std::vector<char> seen(type.dims.size());
  batch.insert(batch.end(), contract.begin(), contract.end());
  for (std::int64_t dim : batch) {
    // stablehlo: dot_general_c5 to c8
    if (dim < 0 || dim >= type.rank()) {
      reject(node, "there is no dimension ", dim, " in ", side, " ", type);
    }
    // stablehlo: dot_general_c3, c4
    if (seen[static_cast<std::size_t>(dim)]++) {
      reject(node, "dimension ", dim, " of ", side, " ", type, " is named twice");
    }
  }
}

void check_pairs(const Node& node, const char* what, const Dims& left, const Dims& right) {
  // stablehlo: dot_general_c1, c2
  if (left.size() != right.size()) {
    reject(node, what, " dimensions ", left, " of lhs and ", right, " of rhs differ in number");
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::int64_t a = node.in(0).dims[static_cast<std::size_t>(left[i])];
    std::int64_t b = node.in(1).dims[static_cast<std::size_t>(right[i])];
    // stablehlo: dot_general_c9, c10
    if (a != b) {
      reject(node, what, " dimension ", left[i], " of lhs ", node.in(0), " is ", a,
             " but dimension ", right[i], " of rhs ", node.in(1), " is ", b);
    }
  }
}

// Returns the dimensions that are neither batch nor contracted, in order.
Dims free_dims(const Type& type, const Dims& batch, const Dims& contract) {
  Dims out;
  for (std::int64_t d = 0; d < type.rank(); ++d) {
    if (std::ranges::find(batch, d) == batch.end() &&
        std::ranges::find(contract, d) == contract.end()) {
      out.push_back(d);
    }
  }
  return out;
}

std::vector<Type> infer_dot(const Node& node) {
  const auto& [dims, out, precision] = node.attr<DotAttrs>();
  const Type& lhs = node.in(0);
  const Type& rhs = node.in(1);
  check_dims(node, "lhs", lhs, dims.lhs_batch, dims.lhs_contract);
  check_dims(node, "rhs", rhs, dims.rhs_batch, dims.rhs_contract);
  check_pairs(node, "batch", dims.lhs_batch, dims.rhs_batch);
  check_pairs(node, "contracted", dims.lhs_contract, dims.rhs_contract);
  check_product_dtypes(node, out);  // stablehlo: dot_general_c13
  Dims sizes;                       // stablehlo: dot_general_c12
  auto append = [&](const Type& type, const Dims& positions) {
    for (std::int64_t d : positions)
      sizes.push_back(type.dims[static_cast<std::size_t>(d)]);
  };
  append(lhs, dims.lhs_batch);
  append(lhs, free_dims(lhs, dims.lhs_batch, dims.lhs_contract));
  append(rhs, free_dims(rhs, dims.rhs_batch, dims.rhs_contract));
  return {Type(out, std::move(sizes))};
}

void write_dot(Writer& writer, const Node& node) {
  const auto& [dims, out, precision] = node.attr<DotAttrs>();
  auto list = [](const Dims& positions) { return str("[", join(positions, ", "), "]"); };
  writer.op(
      node, "stablehlo.dot_general",
      str("dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = ", list(dims.lhs_batch),
          ", rhs_batching_dimensions = ", list(dims.rhs_batch), ", lhs_contracting_dimensions = ",
          list(dims.lhs_contract), ", rhs_contracting_dimensions = ", list(dims.rhs_contract),
          ">, precision_config = ", precision_config(precision)));
}

struct DotLabels {
  std::vector<int> lhs, rhs, out;
};

DotLabels label_dims(const Node& node) {
  const DotDims& dims = node.attr<DotAttrs>().dims;
  DotLabels labels;
  labels.lhs.resize(node.in(0).dims.size());
  labels.rhs.resize(node.in(1).dims.size());
  int next = 0;
  auto label = [&](const Dims& left, const Dims& right, bool stays) {
    for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i, ++next) {
      if (i < left.size()) labels.lhs[static_cast<std::size_t>(left[i])] = next;
      if (i < right.size()) labels.rhs[static_cast<std::size_t>(right[i])] = next;
      if (stays) labels.out.push_back(next);
    }
  };
  label(dims.lhs_batch, dims.rhs_batch, true);
  label(dims.lhs_contract, dims.rhs_contract, false);
  label(free_dims(node.in(0), dims.lhs_batch, dims.lhs_contract), {}, true);
  label({}, free_dims(node.in(1), dims.rhs_batch, dims.rhs_contract), true);
  return labels;
}

// Each gradient contracts the cotangent with the other operand, in the wider of their dtypes.
void dot_vjp(VjpContext& c) {
  DotLabels labels = label_dims(c.node());
  auto gradient = [&](int own) {
    DType dtype = c.node().in(own).dtype;
    Value g = c.cotangent();
    DType wide = bit_width(g.dtype()) > bit_width(dtype) ? g.dtype() : dtype;
    Labelled cotangent{cast(g, wide), labels.out};
    Labelled other{cast(c.operand(1 - own), wide), own == 0 ? labels.rhs : labels.lhs};
    DotOptions options{.precision = c.attr<DotAttrs>().precision};
    return cast(contraction(cotangent, other, own == 0 ? labels.lhs : labels.rhs, options), dtype);
  };
  c.add(0, [&] { return gradient(0); });
  c.add(1, [&] { return gradient(1); });
}

}  // namespace

const OpDef kDotGeneral{
    .name = "dot_general",
    .infer = infer_dot,
    .write = write_dot,
    .vjp = dot_vjp,
    .product =
        [](const Node& node) {
          const bool is_batched = !node.attr<DotAttrs>().dims.lhs_batch.empty();
          return is_batched ? Product::batched : Product::unbatched;
        },
};

std::string precision_config(Precision precision) {
  constexpr std::array kNames = {"DEFAULT", "HIGH", "HIGHEST"};
  std::string one = str("#stablehlo<precision ", kNames[static_cast<std::size_t>(precision)], ">");
  return str("[", one, ", ", one, "]");
}

Value dot_general(Value lhs, Value rhs, DotDims dims, DotOptions options, SourceLoc loc) {
  DType out = options.out.value_or(lhs.dtype());
  return emit(kDotGeneral, {lhs, rhs}, DotAttrs{std::move(dims), out, options.precision}, loc);
}

}  // namespace meshwright::graph
