// SPDX-License-Identifier: Apache-2.0
// A program as StableHLO text with Shardy annotations, and the writer that ops are handed for it.
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
  bool reshapes_are_free = false;  // arrays lie row by row on one device
};

/// The module in MLIR's generic form. Nodes that no result depends on are left out, and values are
/// numbered in the order written, so equal programs give equal text. Without locations the text
/// does not depend on where in the source the program was traced: it is the key of the executable
/// cache.
std::string write_stablehlo(const Program& program, const WriteOptions& options = {});

/// A scalar that has a name in the text but no node.
struct Scalar {
  std::string name;
  DType dtype;
};

/// An array that has a name in the text but perhaps no node.
struct TextValue {
  std::string name;
  ArrayType type;
};

/// An array whose elements stand one after the other in another one, from number `at` on.
struct PartOfText {
  TextValue whole;
  std::int64_t at = 0;
};

/// Handed to OpDef::write. Ops are written in generic form:
///   %3 = "stablehlo.add"(%1, %2) <{attrs}> ({regions}) : (types) -> types
class Writer {
 public:
  Writer(const Program& program, const WriteOptions& options);

  /// Writes one op with the node's operands and results.
  void op(const Node& node, std::string_view mlir, std::string_view attrs = {});
  /// The same with operands of other names and types; `unread` are results after those of the node.
  void op_on(const Node& node,
             std::string_view mlir,
             std::span<const TextValue> operands,
             std::string_view attrs,
             std::span<const ArrayType> unread = {});
  /// As op, with the text of regions, each "({ ... })" without the parentheses, made by `body` or
  /// by ScalarBody. `more` are operands after those of the node.
  void op_with_regions(const Node& node,
                       std::string_view mlir,
                       std::string_view attrs,
                       std::span<const std::string> regions,
                       std::span<const Scalar> more = {});
  /// Writes a scalar constant; `literal` as in literal.h.
  Scalar constant(std::string_view literal, DType dtype);
  /// Makes `result` another name for `operand`; nothing is written.
  void alias(const Node& node, int result, const Value& operand);
  /// Writes the nodes of a region in place of a node whose first operands are the region's
  /// arguments and whose results are the first of the region's.
  void inline_body(const Node& node, const Region& region);

  /// Adds a private function to the module, once for each name, to be called by `func.call`; for an
  /// op that takes many lines. `make` gives what follows the name: "(%x: type) -> type { ... }".
  void function(std::string_view name, const std::function<std::string()>& make);
  /// Writes an op beside the node's own and returns its results.
  std::vector<TextValue> write_op(std::string_view mlir,
                                  std::span<const TextValue> operands,
                                  std::string_view attrs,
                                  std::span<const std::string> regions,
                                  std::span<const ArrayType> types,
                                  std::string_view location = {});
  /// The same with one result and no regions.
  TextValue aside(std::string_view mlir,
                  std::initializer_list<TextValue> operands,
                  std::string_view attrs,
                  ArrayType type);
  /// Text of a block `^bb0(args)` with the lines that `write` adds; it gets the arguments.
  using BlockBody = std::function<void(std::span<const TextValue> args)>;
  std::string block(std::span<const ArrayType> args, const BlockBody& write);
  /// Ends a block.
  void finish(std::string_view mlir, std::span<const TextValue> values);

  /// Text of a region: `^bb0(args): nodes; terminator`. With `bind`, arguments stand for these
  /// names and the block has none.
  std::string body(const Region& region, std::string_view terminator);
  std::string body_bound(const Region& region,
                         std::string_view terminator,
                         std::span<const std::string> bind);

  /// "%3" or "%3#1".
  std::string name(const Value& value) const;
  std::vector<std::string> names(std::span<const Value> values) const;
  TextValue text_value(const Value& value) const { return {name(value), value.type().array()}; }
  std::vector<TextValue> text_values(std::span<const Value> values) const;
  /// A name nobody else uses, "%17", for ops that a node needs beside its own.
  std::string fresh_name();
  /// Gives the results of a node a name chosen by the op itself; `name` is that of result 0 of one.
  void set_name(const Node& node, std::string name);
  /// The same for one of several results.
  void set_result_name(const Node& node, int result, std::string name);
  /// Says of what a name is a part, for ops that would rather have that than a copy.
  void set_part(const std::string& name, PartOfText part) { parts_[name] = std::move(part); }
  /// nullptr if nobody said so.
  const PartOfText* find_part(const std::string& name) const;
  /// One line of text at the present indentation.
  void line(std::string_view text);
  /// ` loc(...)` of a node, or nothing if locations are off.
  std::string location(const Node& node) const;

  bool is_live(const Node& node) const;
  /// The mesh axes that are manual where the present op stands.
  mesh::AxisSet manual_axes() const { return manual_axes_; }
  /// For the op whose body makes them so; it puts the old ones back.
  void set_manual_axes(mesh::AxisSet axes) { manual_axes_ = axes; }
  const Program& program() const { return program_; }
  const WriteOptions& options() const { return options_; }
  /// The live nodes of a region, whose arguments have names.
  void write_nodes(const Region& region);
  /// What `function` added, by name.
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
  std::unordered_map<std::string, PartOfText> parts_;          // by name
  mesh::AxisSet manual_axes_;
  std::vector<std::string> names_;  // by node id; results of several as "%3#"
  std::unordered_map<int, std::vector<std::string>> aliases_;  // of nodes with several results
};

}  // namespace meshwright::graph
