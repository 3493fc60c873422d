// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/slice.h"

#include <numeric>

#include "meshwright/base/check.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

std::vector<Type> infer_slice(const Node& node) {
  const auto& [start, limit, stride] = node.attr<SliceAttrs>();
  const Type& in = node.in(0);
  // stablehlo: slice_c2
  auto rank = static_cast<std::size_t>(in.rank());
  if (start.size() != rank || limit.size() != rank || stride.size() != rank) {
    reject(node, "start ", start, ", limit ", limit, ", stride ", stride,
           " do not have one number per dimension of ", in);
  }
  Dims dims;
  for (std::size_t i = 0; i < rank; ++i) {
    // stablehlo: slice_c3, slice_c4
    if (start[i] < 0 || start[i] > limit[i] || limit[i] > in.dims[i]) {
      reject(node, start[i], " to ", limit[i], " is outside dimension ", i, " of ", in);
    }
    if (stride[i] <= 0)
      reject(node, "stride ", stride[i], " is not positive in dimension ", i, " of ", in);
    dims.push_back((limit[i] - start[i] + stride[i] - 1) / stride[i]);
  }
  return {Type(in.dtype, std::move(dims))};
}

void write_slice(Writer& writer, const Node& node) {
  const auto& [start, limit, stride] = node.attr<SliceAttrs>();
  writer.op(node, "stablehlo.slice",
            str("start_indices = ", mlir_array(start), ", limit_indices = ", mlir_array(limit),
                ", strides = ", mlir_array(stride)));
}

void slice_vjp(VjpContext& c) {
  c.add(0, [&] {
    const auto& [start, limit, stride] = c.attr<SliceAttrs>();
    const Dims& in = c.node().in(0).dims;
    const Dims& out = c.node().out().dims;
    Padding padding{start, Dims(in.size()), Dims(in.size())};
    for (std::size_t i = 0; i < in.size(); ++i) {
      padding.interior[i] = stride[i] - 1;
      std::int64_t end = out[i] == 0 ? start[i] : start[i] + (out[i] - 1) * stride[i] + 1;
      padding.high[i] = in[i] - end;
    }
    return pad(c.cotangent(), 0, std::move(padding));
  });
}

// Checks the starts, which are the operands from `first` on, one per dimension.
void check_starts(const Node& node, int first) {
  const Type& in = node.in(0);
  // stablehlo: dynamic_slice_c2, dynamic_update_slice_c4
  if (node.num_operands() - first != in.rank()) {
    reject(node, node.num_operands() - first, " starts given, one expected per dimension of ", in);
  }
  for (int i = first; i < node.num_operands(); ++i) {
    // stablehlo: dynamic_slice_c3, dynamic_update_slice_c5
    if (node.in(i).rank() != 0 || !is_integer(node.in(i).dtype) ||
        node.in(i).dtype != node.in(first).dtype) {
      reject(node, "start ", i - first, " is ", node.in(i),
             "; starts must be scalar integers of one dtype");
    }
  }
}

void check_inside(const Node& node, std::string_view what, const Dims& sizes) {
  const Type& in = node.in(0);
  // stablehlo: dynamic_slice_c4, dynamic_update_slice_c3, dynamic_update_slice_c6
  bool fits = std::ssize(sizes) == in.rank();
  for (std::size_t i = 0; fits && i < sizes.size(); ++i)
    fits = sizes[i] >= 0 && sizes[i] <= in.dims[i];
  if (!fits) reject(node, what, " ", sizes, " does not fit into ", in);
}

std::vector<Type> infer_dynamic_slice(const Node& node) {
  const Dims& sizes = node.attr<Dims>();
  check_starts(node, 1);
  check_inside(node, "a slice of", sizes);
  return {Type(node.in(0).dtype, sizes)};
}

void write_dynamic_slice(Writer& writer, const Node& node) {
  writer.op(node, "stablehlo.dynamic_slice", str("slice_sizes = ", mlir_array(node.attr<Dims>())));
}

std::vector<Operand> starts(const VjpContext& c, int first) {
  std::vector<Operand> out;
  for (int i = first; i < c.node().num_operands(); ++i)
    out.emplace_back(c.operand(i));
  return out;
}

void dynamic_slice_vjp(VjpContext& c) {
  c.add(0,
        [&] { return dynamic_update_slice(zeros(c.node().in(0)), c.cotangent(), starts(c, 1)); });
}

std::vector<Type> infer_dynamic_update_slice(const Node& node) {
  // stablehlo: dynamic_update_slice_c2
  if (node.in(0).dtype != node.in(1).dtype) {
    reject(node, "dtypes differ: ", node.in(0), " and update ", node.in(1));
  }
  check_starts(node, 2);
  check_inside(node, "an update of", node.in(1).dims);
  return {node.in(0)};
}

void dynamic_update_slice_vjp(VjpContext& c) {
  const Type& update = c.node().in(1);
  c.add(0, [&] { return dynamic_update_slice(c.cotangent(), zeros(update), starts(c, 2)); });
  c.add(1, [&] { return dynamic_slice(c.cotangent(), starts(c, 2), update.dims); });
}

// Appends the starts; plain numbers take the dtype of the first start that is a value.
void append_starts(std::vector<Value>& operands, const std::vector<Operand>& starts) {
  DType dtype = s32;
  for (std::size_t i = starts.size(); i-- > 0;) {
    if (starts[i].is_value()) dtype = starts[i].value().dtype();
  }
  for (const Operand& start : starts)
    operands.push_back(start.value_as(dtype));
}

std::vector<Operand> start_in_dim(const Value& x, std::int64_t dim, const Operand& start) {
  MW_CHECK(in_range(std::array{dim}, x.rank()), "there is no dimension ", dim, " in ", x,
           origin(start.loc()));
  std::vector<Operand> starts(static_cast<std::size_t>(x.rank()), Operand(0, start.loc()));
  starts[static_cast<std::size_t>(dim)] = start;
  return starts;
}

}  // namespace

const OpDef kSlice{.name = "slice", .infer = infer_slice, .write = write_slice, .vjp = slice_vjp};
const OpDef kDynamicSlice{.name = "dynamic_slice",
                          .infer = infer_dynamic_slice,
                          .write = write_dynamic_slice,
                          .vjp = dynamic_slice_vjp};
const OpDef kDynamicUpdateSlice{.name = "dynamic_update_slice",
                                .mlir = "stablehlo.dynamic_update_slice",
                                .infer = infer_dynamic_update_slice,
                                .vjp = dynamic_update_slice_vjp};

Value slice(Value x, Dims start, Dims limit, Dims stride, SourceLoc loc) {
  if (stride.empty()) stride.assign(start.size(), 1);
  Dims ones(x.dims().size(), 1);
  if (start == Dims(x.dims().size(), 0) && limit == x.dims() && stride == ones) return x;
  return emit(kSlice, {x}, SliceAttrs{std::move(start), std::move(limit), std::move(stride)}, loc);
}

Value take_slice(Value x, std::int64_t dim, std::int64_t start, std::int64_t stop, SourceLoc loc) {
  dim = from_start(dim, x.rank());
  MW_CHECK(in_range(std::array{dim}, x.rank()), "take_slice: there is no dimension ", dim, " in ",
           x, origin(loc));
  auto at = static_cast<std::size_t>(dim);
  std::int64_t size = x.dims()[at];
  auto bound = [size](std::int64_t position) {
    return position == kToEnd ? size : position < 0 ? position + size : position;
  };
  Dims first(x.dims().size(), 0);
  Dims limit = x.dims();
  first[at] = bound(start);
  limit[at] = bound(stop);
  MW_CHECK(0 <= first[at] && first[at] <= limit[at] && limit[at] <= size, "take_slice: ", start,
           " to ", stop, " is outside dimension ", dim, " of ", x, origin(loc));
  return slice(x, std::move(first), std::move(limit), {}, loc);
}

Value take_index(Value x, std::int64_t dim, std::int64_t index, SourceLoc loc) {
  std::int64_t stop = index == -1 ? kToEnd : index + 1;
  return squeeze(take_slice(x, dim, index, stop, loc), {dim}, loc);
}

std::vector<Value> split(Value x, std::int64_t dim, const Dims& sizes, SourceLoc loc) {
  dim = from_start(dim, x.rank());
  MW_CHECK(in_range(std::array{dim}, x.rank()), "split: there is no dimension ", dim, " in ", x,
           origin(loc));
  std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  MW_CHECK(total == x.dim(static_cast<int>(dim)), "split: parts of ", sizes,
           " do not add up to dimension ", dim, " of ", x, origin(loc));
  std::vector<Value> parts;
  std::int64_t start = 0;
  for (std::int64_t size : sizes) {
    parts.push_back(take_slice(x, dim, start, start + size, loc));
    start += size;
  }
  return parts;
}

std::vector<Value> split_evenly(Value x, std::int64_t dim, std::int64_t count, SourceLoc loc) {
  std::int64_t size = x.dim(static_cast<int>(dim));
  MW_CHECK(count > 0 && size % count == 0, "split_evenly: dimension ", dim, " of ", x,
           " is not divisible by ", count, origin(loc));
  return split(x, dim, Dims(static_cast<std::size_t>(count), size / count), loc);
}

Value dynamic_slice(Value x, const std::vector<Operand>& start, Dims sizes, SourceLoc loc) {
  std::vector<Value> operands = {x};
  append_starts(operands, start);
  return emit_all(kDynamicSlice, std::move(operands), std::move(sizes), {}, loc)[0];
}

Value dynamic_update_slice(Value x,
                           Value update,
                           const std::vector<Operand>& start,
                           SourceLoc loc) {
  std::vector<Value> operands = {x, update};
  append_starts(operands, start);
  return emit_all(kDynamicUpdateSlice, std::move(operands), {}, {}, loc)[0];
}

Value dynamic_slice_in_dim(Value x, std::int64_t dim, Operand start, std::int64_t size) {
  dim = from_start(dim, x.rank());
  std::vector<Operand> starts = start_in_dim(x, dim, start);
  Dims sizes = x.dims();
  sizes[static_cast<std::size_t>(dim)] = size;
  return dynamic_slice(x, starts, std::move(sizes), start.loc());
}

Value dynamic_update_slice_in_dim(Value x, Value update, std::int64_t dim, Operand start) {
  dim = from_start(dim, x.rank());
  return dynamic_update_slice(x, update, start_in_dim(x, dim, start), start.loc());
}

}  // namespace meshwright::graph
