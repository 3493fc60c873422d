// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/random_bits.h"

#include <algorithm>
#include <map>

#include "meshwright/base/threefry.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

std::vector<Type> infer_threefry(const Node& node) {
  for (int i = 0; i < 4; ++i) {
    if (node.in(i).dtype != u32) reject(node, "keys and counters must be u32, got ", node.in(i));
  }
  const Dims& key = node.in(0).dims;
  const Dims& counter = node.in(2).dims;
  if (node.in(1).dims != key || node.in(3).dims != counter) {
    reject(node, "the words differ in shape: keys ", node.in(0), " and ", node.in(1), ", counters ",
           node.in(2), " and ", node.in(3));
  }
  if (key.size() > counter.size() || !std::equal(key.begin(), key.end(), counter.begin())) {
    reject(node, "keys ", node.in(0), " do not have the leading dimensions of counters ",
           node.in(2));
  }
  return {node.in(2), node.in(2)};
}

/// The text of the hash as a function for one pair of shapes, in one of two forms.
///
/// For large arrays, all 20 rounds are unrolled: XLA fuses them into one loop over the elements,
/// without temporaries, whereas a loop over the rounds would pass over the array five times.
/// Drawing [4096,4096] normal numbers on 2 cores takes 65 ms instead of 220 ms, and compiles
/// faster.
///
/// For keys and other small arrays, the rounds are a loop: XLA fuses unrolled arithmetic into every
/// consumer, so each draw would compile and compute the whole chain of hashes that leads to its
/// key. XLA does not fuse loops.
class ThreefryText {
 public:
  ThreefryText(const Type& key, const Type& counter)
      : key_rank_(key.rank()),
        key_type_(mlir_type(key)),
        type_(mlir_type(counter)),
        is_loop_(num_elements(counter.dims) <= kMaxLoopElements) {}

  std::string write() {
    text_ = str("(%k0: ", key_type_, ", %k1: ", key_type_, ", %c0: ", type_, ", %c1: ", type_,
                ") -> (", type_, ", ", type_, ") {\n");
    write_schedule();
    x0_ = op("add", "%c0", schedule_[0]);
    x1_ = op("add", "%c1", schedule_[1]);
    is_loop_ ? write_loop() : write_rounds();
    text_ += str("    return ", x0_, ", ", x1_, " : ", type_, ", ", type_, "\n  }");
    return std::move(text_);
  }

 private:
  static constexpr std::int64_t kMaxLoopElements = 1024;
  static constexpr std::string_view kWord = "tensor<ui32>";

  // Computes the third word of the key schedule, then broadcasts all three to the counters' shape.
  void write_schedule() {
    text_ += str("    %parity = stablehlo.constant dense<", threefry::kParity, "> : ", key_type_,
                 "\n", "    %k01 = stablehlo.xor %k0, %k1 : ", key_type_, "\n",
                 "    %k2 = stablehlo.xor %k01, %parity : ", key_type_, "\n");
    for (std::size_t i = 0; i < 3; ++i) {
      schedule_[i] = fresh();
      text_ += str("    ", schedule_[i], " = stablehlo.broadcast_in_dim %k", i, ", dims = [",
                   join(counting(key_rank_), ", "), "] : (", key_type_, ") -> ", type_, "\n");
    }
  }

  void write_rounds() {
    for (std::uint32_t group = 0; group < 5; ++group) {
      for (std::size_t round = 0; round < 4; ++round) {
        const std::uint32_t left = rotation(group % 2, round);
        write_round(constant(left), constant(32 - left));
      }
      x0_ = op("add", x0_, schedule_[(group + 1) % 3]);
      x1_ = op("add", x1_, schedule_[(group + 2) % 3]);
      x1_ = op("add", x1_, constant(group + 1));
    }
  }

  void write_round(const std::string& left, const std::string& right) {
    x0_ = op("add", x0_, x1_);
    std::string rotated =
        op("or", op("shift_left", x1_, left), op("shift_right_logical", x1_, right));
    x1_ = op("xor", rotated, x0_);
  }

  // Writes a loop of five steps with four rounds each. The words of the key schedule rotate from
  // step to step.
  void write_loop() {
    text_ +=
        str("    %first = stablehlo.constant dense<0> : ", kWord, "\n    %end:6 = stablehlo.while(",
            "%step = %first, %x0 = ", x0_, ", %x1 = ", x1_, ", %s0 = ", schedule_[1],
            ", %s1 = ", schedule_[2], ", %s2 = ", schedule_[0], ") : ", kWord);
    for (int i = 0; i < 5; ++i)
      text_ += str(", ", type_);
    text_ += str("\n    cond {\n    %five = stablehlo.constant dense<5> : ", kWord,
                 "\n    %more = stablehlo.compare LT, %step, %five : (", kWord, ", ", kWord,
                 ") -> tensor<i1>\n    stablehlo.return %more : tensor<i1>\n    } do {\n");
    write_step();
    text_ += "    }\n";
    x0_ = "%end#1";
    x1_ = "%end#2";
  }

  void write_step() {
    std::string one = word(1), two = word(2), width = word(32);
    std::string parity = op("remainder", "%step", two, kWord);
    std::string is_odd = fresh();
    text_ += str("    ", is_odd, " = stablehlo.compare EQ, ", parity, ", ", one, " : (", kWord,
                 ", ", kWord, ") -> tensor<i1>\n");
    x0_ = "%x0";
    x1_ = "%x1";
    for (std::size_t i = 0; i < 4; ++i) {
      std::string odd = word(rotation(1, i)), even = word(rotation(0, i)), left = fresh();
      text_ += str("    ", left, " = stablehlo.select ", is_odd, ", ", odd, ", ", even,
                   " : tensor<i1>, ", kWord, "\n");
      std::string right = op("subtract", width, left, kWord);
      write_round(spread(left), spread(right));
    }
    std::string next = op("add", "%step", one, kWord);
    x0_ = op("add", x0_, "%s0");
    x1_ = op("add", op("add", x1_, "%s1"), spread(next));
    text_ += str("    stablehlo.return ", next, ", ", x0_, ", ", x1_, ", %s1, %s2, %s0 : ", kWord);
    for (int i = 0; i < 5; ++i)
      text_ += str(", ", type_);
    text_ += "\n";
  }

  static std::uint32_t rotation(std::size_t group, std::size_t round) {
    return static_cast<std::uint32_t>(threefry::kRotations[group][round]);
  }

  std::string fresh() { return str("%", next_++); }

  std::string op(std::string_view mlir,
                 const std::string& a,
                 const std::string& b,
                 std::string_view type = {}) {
    std::string name = fresh();
    text_ += str("    ", name, " = stablehlo.", mlir, " ", a, ", ", b, " : ",
                 type.empty() ? type_ : type, "\n");
    return name;
  }

  std::string word(std::uint32_t value) {
    std::string name = fresh();
    text_ += str("    ", name, " = stablehlo.constant dense<", value, "> : ", kWord, "\n");
    return name;
  }

  /// Broadcasts a word to all elements.
  std::string spread(const std::string& scalar) {
    std::string name = fresh();
    text_ += str("    ", name, " = stablehlo.broadcast_in_dim ", scalar, ", dims = [] : (", kWord,
                 ") -> ", type_, "\n");
    return name;
  }

  const std::string& constant(std::uint32_t value) {
    std::string& name = constants_[value];
    if (name.empty()) {
      name = fresh();
      text_ += str("    ", name, " = stablehlo.constant dense<", value, "> : ", type_, "\n");
    }
    return name;
  }

  int key_rank_;
  std::string key_type_, type_;
  bool is_loop_;
  std::string text_;
  std::string schedule_[3];
  std::string x0_, x1_;
  std::map<std::uint32_t, std::string> constants_;
  int next_ = 0;
};

void write_threefry(Writer& writer, const Node& node) {
  std::string name = str("threefry2x32_k", node.in(0).rank(), "_", join(node.in(2).dims, "x"));
  writer.function(name, [&] { return ThreefryText(node.in(0), node.in(2)).write(); });
  writer.op(node, "func.call", str("callee = @", name));
}

std::vector<Type> infer_rng_bit_generator(const Node& node) {
  const auto& type = node.attr<ArrayType>();
  if (node.in(0).dtype != u64 || node.in(0).dims != Dims{2}) {
    reject(node, "the state must be u64[2], got ", node.in(0));
  }
  if (!is_integer(type.dtype) || is_signed(type.dtype) || bit_width(type.dtype) < 8) {
    reject(node, "bits must be u8, u16, u32 or u64, not ", type.dtype);
  }
  num_elements(type.dims);
  return {node.in(0), Type(type.dtype, type.dims)};
}

void write_rng_bit_generator(Writer& writer, const Node& node) {
  writer.op(node, "stablehlo.rng_bit_generator",
            "rng_algorithm = #stablehlo<rng_algorithm DEFAULT>");
}

std::array<Value, 2> both(const std::vector<Value>& results) {
  return {results[0], results[1]};
}

}  // namespace

const OpDef kThreefry2x32{
    .name = "threefry2x32", .infer = infer_threefry, .write = write_threefry, .vjp = kZeroGradient};
const OpDef kRngBitGenerator{.name = "rng_bit_generator",
                             .infer = infer_rng_bit_generator,
                             .write = write_rng_bit_generator,
                             .vjp = kZeroGradient};

std::array<Value, 2> threefry2x32(const std::array<Value, 2>& key,
                                  const std::array<Value, 2>& counter,
                                  SourceLoc loc) {
  return both(emit_all(kThreefry2x32, {key[0], key[1], counter[0], counter[1]}, {}, {}, loc));
}

std::array<Value, 2> rng_bit_generator(Value state, ArrayType type, SourceLoc loc) {
  return both(emit_all(kRngBitGenerator, {state}, std::move(type), {}, loc));
}

}  // namespace meshwright::graph
