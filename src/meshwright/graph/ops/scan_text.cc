// SPDX-License-Identifier: Apache-2.0
// Writes a scan as StableHLO: a while loop that reads slices of xs and writes slices of ys, which
// the compiler does in place, or the sequence of all steps if the scan is completely unrolled.
#include <algorithm>
#include <array>
#include <utility>

#include "meshwright/graph/core/literal.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/graph/ops/scan_rules.h"
#include "meshwright/graph/text/scalar_body.h"
#include "meshwright/graph/text/writer.h"

namespace meshwright::graph {
namespace {

using Texts = std::vector<TextValue>;

const ArrayType kLoopIndex{s32, {}};

ArrayType one_slice(const ArrayType& type) {  // [1, dims of the slice]
  ArrayType out = type;
  out.dims[0] = 1;
  return out;
}

ArrayType without_first(const ArrayType& type) {
  return {type.dtype, Dims(type.dims.begin() + 1, type.dims.end())};
}

class ScanText {
 public:
  ScanText(Writer& writer, const Node& node)
      : writer_(writer),
        node_(node),
        attrs_(node.attr<ScanAttrs>()),
        body_(*node.regions[0]),
        operands_(writer.text_values(node.operands)) {}

  void write_unrolled() {
    Texts carry(operands_.begin(), operands_.begin() + attrs_.num_carry);
    std::vector<Texts> ys(num_ys());  // per stacked result: its slices by position
    for (Texts& slices : ys)
      slices.resize(static_cast<std::size_t>(attrs_.length));
    for (std::int64_t step = 0; step < attrs_.length; ++step) {
      std::int64_t position = attrs_.reverse ? attrs_.length - 1 - step : step;
      Texts results = write_step(carry, static_slices(position), outside(operands_));
      for (std::size_t y = 0; y < ys.size(); ++y)
        ys[y][static_cast<std::size_t>(position)] = results[carry.size() + y];
      carry.assign(results.begin(), results.begin() + attrs_.num_carry);
    }
    for (int i = 0; i < attrs_.num_carry; ++i)
      writer_.set_result_name(node_, i, carry[static_cast<std::size_t>(i)].name);
    for (std::size_t y = 0; y < ys.size(); ++y) {
      writer_.set_result_name(node_, attrs_.num_carry + static_cast<int>(y),
                              stack(ys[y], stacked_type(y)).name);
    }
  }

  // The state of the loop is carry, ys, the step number, xs, outer values: the node's results come
  // first.
  void write_loop() {
    Texts state(operands_.begin(), operands_.begin() + attrs_.num_carry);
    for (std::size_t y = 0; y < num_ys(); ++y)
      state.push_back(constant(literal(std::int64_t{0}, stacked_type(y).dtype), stacked_type(y)));
    state.push_back(constant("0", kLoopIndex));
    state.insert(state.end(), operands_.begin() + attrs_.num_carry, operands_.end());
    std::vector<ArrayType> types;
    for (const TextValue& value : state)
      types.push_back(value.type);

    std::string condition = writer_.block(types, [this](std::span<const TextValue> args) {
      TextValue end = constant(str(attrs_.length), kLoopIndex);
      TextValue more = writer_.aside("stablehlo.compare", {args[counter()], end},
                                     compare_attributes("LT", s32), {pred, {}});
      writer_.finish("stablehlo.return", std::span(&more, 1));
    });
    std::string body = writer_.block(types, [this](std::span<const TextValue> args) {
      writer_.finish("stablehlo.return", write_iteration(args));
    });
    std::array regions = {std::move(condition), std::move(body)};
    Texts results =
        writer_.write_op("stablehlo.while", state, "", regions, types, writer_.location(node_));
    for (int i = 0; i < node_.num_results(); ++i)
      writer_.set_result_name(node_, i, results[static_cast<std::size_t>(i)].name);
  }

 private:
  std::size_t num_ys() const {
    return body_.results.size() - static_cast<std::size_t>(attrs_.num_carry);
  }
  std::size_t counter() const { return body_.results.size(); }  // position of the step number
  const ArrayType& stacked_type(std::size_t y) const {
    return node_.types[static_cast<std::size_t>(attrs_.num_carry) + y];
  }
  Texts outside(std::span<const TextValue> operands) const {
    return {operands.begin() + attrs_.num_carry + attrs_.num_xs, operands.end()};
  }

  TextValue constant(std::string_view literal, const ArrayType& type) {
    return writer_.aside("stablehlo.constant", {},
                         str("value = dense<", literal, "> : ", mlir_type(type)), type);
  }

  // Flattens the slices before joining them if reshapes are free: LLVM takes up to a second to
  // compile the loop nest over an array whose last dimensions are small, such as 4 x 64.
  TextValue stack(const Texts& slices, const ArrayType& type) {
    if (slices.empty()) return constant(literal(std::int64_t{0}, type.dtype), type);
    ArrayType part = one_slice(type), whole = type;
    if (writer_.options().reshapes_are_free)
      for (ArrayType* flat : {&part, &whole})
        flat->dims = {num_elements(flat->dims)};
    Texts parts;
    for (const TextValue& slice : slices)
      parts.push_back(writer_.aside("stablehlo.reshape", {slice}, "", part));
    TextValue out = writer_.write_op("stablehlo.concatenate", parts, "dimension = 0 : i64", {},
                                     std::span(&whole, 1))[0];
    return whole == type ? out : writer_.aside("stablehlo.reshape", {out}, "", type);
  }

  // Writes the nodes of the body for these arguments and returns its results.
  Texts write_step(const Texts& carry, const Texts& slices, const Texts& others) {
    std::size_t next = 0;
    for (const Texts* part : {&carry, &slices, &others}) {
      for (const TextValue& value : *part)
        writer_.set_name(*body_.args[next++], value.name);
    }
    writer_.write_nodes(body_);
    return writer_.text_values(body_.results);
  }

  Texts static_slices(std::int64_t position) {
    std::span xs = std::span(operands_).subspan(static_cast<std::size_t>(attrs_.num_carry));
    Texts out;
    for (int i = 0; i < attrs_.num_xs; ++i) {
      const TextValue& x = xs[static_cast<std::size_t>(i)];
      Dims start(x.type.dims.size(), 0);
      Dims limit = x.type.dims;
      start[0] = position;
      limit[0] = position + 1;
      Dims stride(x.type.dims.size(), 1);
      TextValue slice = writer_.aside(
          "stablehlo.slice", {x},
          str("start_indices = ", mlir_array(start), ", limit_indices = ", mlir_array(limit),
              ", strides = ", mlir_array(stride)),
          one_slice(x.type));
      out.push_back(writer_.aside("stablehlo.reshape", {slice}, "", without_first(x.type)));
      writer_.set_slice(out.back().name, slice_of(x, position));
    }
    return out;
  }

  TextSlice slice_of(const TextValue& x, std::int64_t position) const {
    const std::int64_t at = position * num_elements(without_first(x.type).dims);
    const TextSlice* outer = writer_.find_slice(x.name);
    return outer == nullptr ? TextSlice{x, at} : TextSlice{outer->whole, outer->at + at};
  }

  // Writes `unroll` consecutive steps and returns the next state.
  Texts write_iteration(std::span<const TextValue> args) {
    Texts state(args.begin(), args.end());
    TextValue zero = constant("0", kLoopIndex);
    TextValue one = constant("1", kLoopIndex);
    for (std::int64_t i = 0; i < attrs_.unroll; ++i) {
      TextValue position = state[counter()];
      if (attrs_.reverse) {
        TextValue last = constant(str(attrs_.length - 1), kLoopIndex);
        position = writer_.aside("stablehlo.subtract", {last, position}, "", kLoopIndex);
      }
      write_loop_step(state, position, zero);
      state[counter()] = writer_.aside("stablehlo.add", {state[counter()], one}, "", kLoopIndex);
    }
    return state;
  }

  void write_loop_step(Texts& state, const TextValue& position, const TextValue& zero) {
    std::size_t num_carry = static_cast<std::size_t>(attrs_.num_carry);
    Texts carry(state.begin(), state.begin() + attrs_.num_carry);
    Texts slices;
    for (int i = 0; i < attrs_.num_xs; ++i) {
      const TextValue& x = state[counter() + 1 + static_cast<std::size_t>(i)];
      slices.push_back(dynamic_slice(x, position, zero));
    }
    auto first_outside = static_cast<std::ptrdiff_t>(counter()) + 1 + attrs_.num_xs;
    Texts others(state.begin() + first_outside, state.end());
    Texts results = write_step(carry, slices, others);
    std::copy_n(results.begin(), num_carry, state.begin());
    for (std::size_t y = 0; y < num_ys(); ++y) {
      TextValue& stacked = state[num_carry + y];
      stacked = dynamic_update(stacked, results[num_carry + y], position, zero);
    }
  }

  TextValue dynamic_slice(const TextValue& x, const TextValue& position, const TextValue& zero) {
    Texts operands(x.type.dims.size() + 1, zero);
    operands[0] = x;
    operands[1] = position;
    ArrayType type = one_slice(x.type);
    TextValue slice =
        writer_.write_op("stablehlo.dynamic_slice", operands,
                         str("slice_sizes = ", mlir_array(type.dims)), {}, std::span(&type, 1))[0];
    return writer_.aside("stablehlo.reshape", {slice}, "", without_first(x.type));
  }

  TextValue dynamic_update(const TextValue& stacked,
                           const TextValue& slice,
                           const TextValue& position,
                           const TextValue& zero) {
    Texts operands(stacked.type.dims.size() + 2, zero);
    operands[0] = stacked;
    operands[1] = writer_.aside("stablehlo.reshape", {slice}, "", one_slice(stacked.type));
    operands[2] = position;
    return writer_.write_op("stablehlo.dynamic_update_slice", operands, "", {},
                            std::span(&stacked.type, 1))[0];
  }

  Writer& writer_;
  const Node& node_;
  const ScanAttrs& attrs_;
  const Region& body_;
  Texts operands_;
};

}  // namespace

void write_scan(Writer& writer, const Node& node) {
  const ScanAttrs& attrs = node.attr<ScanAttrs>();
  ScanText text(writer, node);
  if (attrs.unroll >= attrs.length) {
    text.write_unrolled();
  } else {
    text.write_loop();
  }
}

}  // namespace meshwright::graph
