// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/random/threefry.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "meshwright/base/str.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/random_bits.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/placement/kernel_decision.h"
#include "meshwright/graph/random/threefry_handlers.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph::random {
namespace {

Value position(DType dtype, const Dims& dims, SourceLoc loc) {
  Dims strides = row_major_strides(dims);
  Value sum;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 1) continue;
    Value part = iota(dtype, dims, static_cast<std::int64_t>(d), loc);
    if (strides[d] != 1) part = part * strides[d];
    sum = sum.is_null() ? part : sum + part;
  }
  return sum.is_null() ? constant(0, dtype, dims, loc) : sum;
}

Dims joined(Dims first, const Dims& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// Larger results would take too much memory; XLA fuses the formula into its users, which needs
// none.
constexpr std::int64_t kMostElements = std::int64_t{1} << 23;

Dims dims_of_a_key(const ArrayType& bits, const Dims& keys) {
  return {bits.dims.begin() + std::ssize(keys), bits.dims.end()};
}

Value formula(const KeyWords& key, const ArrayType& bits, SourceLoc loc) {
  const Dims& keys = key[0].dims();
  auto [high, low] = threefry2x32(key, counters(keys, dims_of_a_key(bits, keys), loc), loc);
  if (bits.dtype == u64) return logical_or(shift_left(cast(high, u64), 32), cast(low, u64));
  return logical_xor(high, low);
}

std::vector<Type> infer_bits(const Node& node) {
  const auto& bits = node.attr<ArrayType>();
  const Type &high = node.in(0), &low = node.in(1);
  if (high.dtype != u32 || low.dtype != u32 || high.dims != low.dims)
    reject(node, "the words of keys must be u32 arrays of the same shape, got ", high, " and ",
           low);
  if (bits.dtype != u32 && bits.dtype != u64) reject(node, "expected u32 or u64 bits, got ", bits);
  if (high.dims.size() > bits.dims.size() ||
      !std::equal(high.dims.begin(), high.dims.end(), bits.dims.begin()))
    reject(node, "keys ", high, " do not have the leading dimensions of ", bits);
  num_elements(bits.dims);
  return {Type(bits.dtype, bits.dims)};
}

std::vector<Value> bits_formula(const Node& node, std::span<const Value> in) {
  return {formula({in[0], in[1]}, node.attr<ArrayType>(), node.loc)};
}

std::vector<Value> hash_formula(const Node& node, std::span<const Value> in) {
  const KeyWords hashed = threefry2x32({in[0], in[1]}, {in[2], in[3]}, node.loc);
  return {hashed.begin(), hashed.end()};
}

std::vector<Type> infer_hash(const Node& node) {
  return kThreefry2x32.infer(node);
}

void write_call(Writer& writer, const Node& node) {
  write_custom_call(writer, node, {.target = node.op->handler->name, .attributes = {}});
}

std::string obstacle_of_bits(const Node& op, const KernelTarget& /*target*/) {
  if (num_elements(op.attr<ArrayType>().dims) <= kMostElements) return "";
  return str("more than ", kMostElements, " elements");
}

KernelAxes on_one_device(const Node& /*node*/) {
  return {.operands = {}, .results = {}, .on_one_device = true};
}

}  // namespace

const OpDef kThreefryHash{.name = "threefry_hash",
                          .infer = infer_hash,
                          .write = write_call,
                          .vjp = kZeroGradient,
                          .handler = &kThreefryHashHandler,
                          .reference = hash_formula,
                          .axes = on_one_device};

const OpDef kThreefryBits{.name = "threefry_bits",
                          .infer = infer_bits,
                          .write = write_call,
                          .vjp = kZeroGradient,
                          .handler = &kThreefryBitsHandler,
                          .reference = bits_formula,
                          .obstacle = obstacle_of_bits,
                          .axes = on_one_device};

KeyWords threefry_hash(const KeyWords& key, const KeyWords& counter, SourceLoc loc) {
  const std::vector<Value> hashed =
      emit_all(kThreefryHash, {key[0], key[1], counter[0], counter[1]}, {}, {}, loc);
  return {hashed[0], hashed[1]};
}

Value threefry_bits(const KeyWords& key, const Dims& dims, DType dtype, SourceLoc loc) {
  const ArrayType bits{dtype == u64 ? u64 : u32, joined(key[0].dims(), dims)};
  Value drawn = becomes_kernel(kThreefryBits, {key[0], key[1]}, bits)
                    ? emit_all(kThreefryBits, {key[0], key[1]}, bits, {}, loc)[0]
                    : formula(key, bits, loc);
  return cast(Operand(drawn, loc), dtype);
}

KeyWords counters(const Dims& batch, const Dims& dims, SourceLoc loc) {
  Dims all = joined(batch, dims);
  if (num_elements(dims) - 1 <= std::int64_t{std::numeric_limits<std::uint32_t>::max()}) {
    return {constant(0, u32, all, loc), broadcast_to(position(u32, dims, loc), all, loc)};
  }
  Value wide = position(u64, dims, loc);
  return {broadcast_to(cast(shift_right_logical(wide, 32), u32), all, loc),
          broadcast_to(cast(wide, u32), all, loc)};
}

}  // namespace meshwright::graph::random
