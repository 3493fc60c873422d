// SPDX-License-Identifier: Apache-2.0
// Writes programs as StableHLO text with Shardy annotations.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "meshwright/graph/core/mlir_text.h"
#include "meshwright/graph/core/node.h"
#include "meshwright/graph/core/program.h"

namespace meshwright::graph {

struct WriteOptions {
  bool locations = false;          // source lines and module paths, for error messages and profiles
  bool reshapes_are_free = false;  // arrays are row-major on one device
};

/// Returns the module in MLIR's generic form. Omits dead nodes and numbers values in order, so that
/// equal programs have equal text. Without locations the text is independent of the source and
/// serves as the key of the executable cache.
std::string write_stablehlo(const Program& program, const WriteOptions& options = {});

/// A scalar with a name in the text but without a node.
struct TextScalar {
  std::string name;
  DType dtype;
};

/// An array with a name in the text, whether or not it has a node.
struct TextValue {
  std::string name;
  ArrayType type;
};

/// An array whose elements are contiguous in another array, starting at element `at`.
struct TextSlice {
  TextValue whole;
  std::int64_t at = 0;
};

/// The argument of OpDef::write. Writes ops in MLIR's generic form:
///   %3 = "stablehlo.add"(%1, %2) <{attrs}> ({regions}) : (types) -> types
class Writer {
 public:
  Writer(const Program& program, const WriteOptions& options);

  /// Writes one op with the node's operands and results.
  void op(const Node& node, std::string_view mlir, std::string_view attrs = {});
  /// Like op(), but with other operands. `unread` has the types of additional, unused results.
  void op_on(const Node& node,
             std::string_view mlir,
             std::span<const TextValue> operands,
             std::string_view attrs,
             std::span<const ArrayType> unread = {});
  /// Like op(), but with the text of regions "{ ... }", made by body() or ScalarBody. `more` has
  /// additional operands.
  void op_with_regions(const Node& node,
                       std::string_view mlir,
                       std::string_view attrs,
                       std::span<const std::string> regions,
                       std::span<const TextScalar> more = {});
  /// Writes a scalar constant. See literal.h for `literal`.
  TextScalar constant(std::string_view literal, DType dtype);
  /// Makes `result` another name for `operand`. Writes nothing.
  void alias(const Node& node, int result, const Value& operand);
  /// Writes the nodes of a region in place of `node`: the node's first operands become the region's
  /// arguments, and the region's first results become the node's.
  void inline_body(const Node& node, const Region& region);

  /// Adds a private function for `func.call` to the module, once per name. `make` returns the text
  /// that follows the name, such as "(%x: type) -> type { ... }".
  void function(std::string_view name, const std::function<std::string()>& make);
  /// Writes an additional op and returns its results.
  std::vector<TextValue> write_op(std::string_view mlir,
                                  std::span<const TextValue> operands,
                                  std::string_view attrs,
                                  std::span<const std::string> regions,
                                  std::span<const ArrayType> types,
                                  std::string_view location = {});
  /// Like write_op(), but with one result and no regions.
  TextValue aside(std::string_view mlir,
                  std::initializer_list<TextValue> operands,
                  std::string_view attrs,
                  ArrayType type);
  /// Returns the text of a block `^bb0(args)`; `write` gets the arguments and writes the lines of
  /// the block.
  using BlockBody = std::function<void(std::span<const TextValue> args)>;
  std::string block(std::span<const ArrayType> args, const BlockBody& write);
  /// Ends a block.
  void finish(std::string_view mlir, std::span<const TextValue> values);

  /// Returns the text of a region: `^bb0(args): nodes; terminator`. If `bind` is given, the
  /// region's arguments have those names and the block has no arguments.
  std::string body(const Region& region, std::string_view terminator);
  std::string body_bound(const Region& region,
                         std::string_view terminator,
                         std::span<const std::string> bind);

  /// Returns the name of a value, such as "%3" or "%3#1".
  std::string name(const Value& value) const;
  std::vector<std::string> names(std::span<const Value> values) const;
  TextValue text_value(const Value& value) const { return {name(value), value.type().array()}; }
  std::vector<TextValue> text_values(std::span<const Value> values) const;
  /// Returns an unused name, such as "%17".
  std::string fresh_name();
  /// Names the result of a node with one result.
  void set_name(const Node& node, std::string name);
  /// Names one result of a node with several results.
  void set_result_name(const Node& node, int result, std::string name);
  /// Records that a name is a slice of another array, for ops that can avoid the copy.
  void set_slice(const std::string& name, TextSlice slice) { slices_[name] = std::move(slice); }
  /// Returns the recorded slice; nullptr if there is none.
  const TextSlice* find_slice(const std::string& name) const;
  /// Writes one line at the current indentation.
  void line(std::string_view text);
  /// Returns the text ` loc(...)` for a node; empty if locations are off.
  std::string location(const Node& node) const;

  bool is_live(const Node& node) const;
  /// The mesh axes that are manual at the current op.
  mesh::AxisSet manual_axes() const { return manual_axes_; }
  /// For ops with manual bodies. The caller must restore the previous axes afterwards.
  void set_manual_axes(mesh::AxisSet axes) { manual_axes_ = axes; }
  const Program& program() const { return program_; }
  const WriteOptions& options() const { return options_; }
  /// Writes the live nodes of a region whose arguments already have names.
  void write_nodes(const Region& region);
  /// The functions added by `function`, by name.
  const std::map<std::string, std::string, std::less<>>& functions() const { return functions_; }

 private:
  void mark_live(const Region& region);
  const std::string& alias_of(const Value& value) const;
  std::string indented(const std::function<void()>& write);
  void write_node(const Node& node,
                  std::string_view mlir,
                  std::span<const TextValue> operands,
                  std::string_view attrs,
                  std::span<const std::string> regions,
                  std::span<const ArrayType> unread);

  const Program& program_;
  WriteOptions options_;
  std::string out_;
  std::string indent_ = "  ";
  int next_number_ = 0;
  std::vector<char> live_;                                     // by node id
  std::map<std::string, std::string, std::less<>> functions_;  // text by name
  std::unordered_map<std::string, TextSlice> slices_;          // by name
  mesh::AxisSet manual_axes_;
  std::vector<std::string> names_;  // by node id; "%3#" for nodes with several results
  std::unordered_map<int, std::vector<std::string>> aliases_;  // of nodes with several results
};

}  // namespace meshwright::graph
