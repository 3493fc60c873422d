// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/text/writer.h"

#include "meshwright/base/check.h"
#include "meshwright/graph/core/effects.h"
#include "meshwright/graph/core/op_def.h"
#include "meshwright/mesh/device_groups.h"

namespace meshwright::graph {
namespace {

std::string type_list(std::span<const TextValue> values) {
  std::string out;
  for (const TextValue& value : values)
    out += str(out.empty() ? "" : ", ", mlir_type(value.type));
  return out;
}

std::string name_list(std::span<const TextValue> values) {
  std::string out;
  for (const TextValue& value : values)
    out += str(out.empty() ? "" : ", ", value.name);
  return out;
}

std::string result_types(const Node& node, std::span<const ArrayType> unread) {
  std::vector<std::string> types;
  for (const Type& type : node.types)
    types.push_back(mlir_type(type));
  for (const ArrayType& type : unread)
    types.push_back(mlir_type(type));
  return types.size() == 1 ? types[0] : str("(", join(types, ", "), ")");
}

}  // namespace

Writer::Writer(const Program& program, const WriteOptions& options)
    : program_(program), options_(options) {
  auto num_nodes = static_cast<std::size_t>(program.graph->num_nodes());
  live_.resize(num_nodes);
  names_.resize(num_nodes);
  manual_axes_ = mesh::process_axes(program.mesh);
  mark_live(*program.main);
}

void Writer::mark_live(const Region& region) {
  auto mark = [this](const Value& value) { live_[static_cast<std::size_t>(value.node()->id)] = 1; };
  for (const Value& result : region.results)
    mark(result);
  for (std::size_t i = region.nodes.size(); i-- > 0;) {
    const Node& node = *region.nodes[i];
    if (has_side_effect(node)) live_[static_cast<std::size_t>(node.id)] = 1;
    if (!is_live(node)) continue;
    for (const Value& operand : node.operands)
      mark(operand);
    for (const Region* inner : node.regions)
      mark_live(*inner);
  }
}

bool Writer::is_live(const Node& node) const {
  return live_[static_cast<std::size_t>(node.id)] != 0;
}

std::string Writer::fresh_name() {
  return str("%", next_number_++);
}

void Writer::set_name(const Node& node, std::string name) {
  names_[static_cast<std::size_t>(node.id)] = std::move(name);
}

std::string Writer::name(const Value& value) const {
  const std::string& base = names_[static_cast<std::size_t>(value.node()->id)];
  if (base.empty()) return alias_of(value);
  if (base.back() == '#') return str(base, value.index());
  return base;
}

const std::string& Writer::alias_of(const Value& value) const {
  auto found = aliases_.find(value.node()->id);
  MW_CHECK(found != aliases_.end(), "writer: a ", value.node()->op->name,
           " is used before it is written");
  return found->second[static_cast<std::size_t>(value.index())];
}

std::vector<std::string> Writer::names(std::span<const Value> values) const {
  std::vector<std::string> out;
  out.reserve(values.size());
  for (const Value& value : values)
    out.push_back(name(value));
  return out;
}

void Writer::alias(const Node& node, int result, const Value& operand) {
  set_result_name(node, result, name(operand));
}

void Writer::set_result_name(const Node& node, int result, std::string name) {
  if (node.num_results() == 1) return set_name(node, std::move(name));
  std::vector<std::string>& results = aliases_[node.id];
  results.resize(node.types.size());
  results[static_cast<std::size_t>(result)] = std::move(name);
}

void Writer::inline_body(const Node& node, const Region& region) {
  for (std::size_t i = 0; i < region.args.size(); ++i)
    set_name(*region.args[i], name(node.operands[i]));
  write_nodes(region);
  for (int i = 0; i < node.num_results(); ++i)
    alias(node, i, region.results[static_cast<std::size_t>(i)]);
}

void Writer::line(std::string_view text) {
  out_ += indent_;
  out_ += text;
  out_ += '\n';
}

std::string Writer::location(const Node& node) const {
  if (!options_.locations) return "";
  const std::string& path = program_.graph->module_path(node.module_path);
  std::string place = str(mlir_string(node.loc.file), ":", node.loc.line, ":1");
  std::string label = path.empty() ? std::string(node.op->name) : str(path, "/", node.op->name);
  return str(" loc(", mlir_string(label), "(", place, "))");
}

void Writer::op(const Node& node, std::string_view mlir, std::string_view attrs) {
  op_with_regions(node, mlir, attrs, {});
}

void Writer::op_on(const Node& node,
                   std::string_view mlir,
                   std::span<const TextValue> operands,
                   std::string_view attrs,
                   std::span<const ArrayType> unread) {
  write_node(node, mlir, operands, attrs, {}, unread);
}

void Writer::op_with_regions(const Node& node,
                             std::string_view mlir,
                             std::string_view attrs,
                             std::span<const std::string> regions,
                             std::span<const TextScalar> more) {
  std::vector<TextValue> operands = text_values(node.operands);
  for (const TextScalar& scalar : more)
    operands.push_back({scalar.name, {scalar.dtype, {}}});
  write_node(node, mlir, operands, attrs, regions, {});
}

void Writer::write_node(const Node& node,
                        std::string_view mlir,
                        std::span<const TextValue> operands,
                        std::string_view attrs,
                        std::span<const std::string> regions,
                        std::span<const ArrayType> unread) {
  std::string result = fresh_name();
  const std::size_t num_results = node.types.size() + unread.size();
  std::string text;
  if (num_results > 0) text = str(result, num_results > 1 ? str(":", num_results) : "", " = ");
  text += str("\"", mlir, "\"(", name_list(operands), ")");
  if (!attrs.empty()) text += str(" <{", attrs, "}>");
  if (!regions.empty()) text += str(" (", join(regions, ", "), ")");
  text += str(" : (", type_list(operands), ") -> ", result_types(node, unread), location(node));
  line(text);
  set_name(node, num_results > 1 ? result + "#" : result);
}

const TextSlice* Writer::find_slice(const std::string& name) const {
  const auto found = slices_.find(name);
  return found == slices_.end() ? nullptr : &found->second;
}

TextScalar Writer::constant(std::string_view literal, DType dtype) {
  TextScalar out{fresh_name(), dtype};
  std::string type = mlir_type({dtype, {}});
  line(str(out.name, " = \"stablehlo.constant\"() <{value = dense<", literal, "> : ", type,
           "}> : () -> ", type));
  return out;
}

void Writer::function(std::string_view name, const std::function<std::string()>& make) {
  if (!functions_.contains(name)) functions_.emplace(name, make());
}

std::vector<TextValue> Writer::write_op(std::string_view mlir,
                                        std::span<const TextValue> operands,
                                        std::string_view attrs,
                                        std::span<const std::string> regions,
                                        std::span<const ArrayType> types,
                                        std::string_view location) {
  std::string base = fresh_name();
  std::string text = types.size() == 1 ? base : str(base, ":", types.size());
  text += str(" = \"", mlir, "\"(", name_list(operands), ")");
  if (!attrs.empty()) text += str(" <{", attrs, "}>");
  if (!regions.empty()) text += str(" (", join(regions, ", "), ")");
  text += str(" : (", type_list(operands), ") -> (");
  std::vector<TextValue> results;
  for (std::size_t i = 0; i < types.size(); ++i) {
    text += str(i > 0 ? ", " : "", mlir_type(types[i]));
    results.push_back({types.size() == 1 ? base : str(base, "#", i), types[i]});
  }
  line(str(text, ")", location));
  return results;
}

TextValue Writer::aside(std::string_view mlir,
                        std::initializer_list<TextValue> operands,
                        std::string_view attrs,
                        ArrayType type) {
  return write_op(mlir, {operands.begin(), operands.size()}, attrs, {}, std::span(&type, 1))[0];
}

std::string Writer::indented(const std::function<void()>& write) {
  std::string outer = std::exchange(out_, {});
  indent_ += "  ";
  write();
  indent_.resize(indent_.size() - 2);
  return std::exchange(out_, std::move(outer));
}

std::string Writer::block(std::span<const ArrayType> args, const BlockBody& write) {
  std::vector<TextValue> named;
  std::string head;
  for (const ArrayType& type : args) {
    named.push_back({fresh_name(), type});
    head += str(head.empty() ? "" : ", ", named.back().name, ": ", mlir_type(type));
  }
  std::string lines = indented([&] { write(named); });
  return str("{\n", indent_, "^bb0(", head, "):\n", lines, indent_, "}");
}

void Writer::finish(std::string_view mlir, std::span<const TextValue> values) {
  line(str("\"", mlir, "\"(", name_list(values), ") : (", type_list(values), ") -> ()"));
}

std::string Writer::body(const Region& region, std::string_view terminator) {
  std::vector<ArrayType> types;
  for (const Node* arg : region.args)
    types.push_back(arg->out());
  return block(types, [&](std::span<const TextValue> args) {
    for (std::size_t i = 0; i < args.size(); ++i)
      set_name(*region.args[i], args[i].name);
    write_nodes(region);
    finish(terminator, text_values(region.results));
  });
}

std::string Writer::body_bound(const Region& region,
                               std::string_view terminator,
                               std::span<const std::string> bind) {
  MW_CHECK(bind.size() == region.args.size(), "writer: ", bind.size(), " names for a body with ",
           region.args.size(), " arguments");
  for (std::size_t i = 0; i < bind.size(); ++i)
    set_name(*region.args[i], bind[i]);
  std::string lines = indented([&] {
    write_nodes(region);
    finish(terminator, text_values(region.results));
  });
  return str("{\n", lines, indent_, "}");
}

std::vector<TextValue> Writer::text_values(std::span<const Value> values) const {
  std::vector<TextValue> out;
  for (const Value& value : values)
    out.push_back(text_value(value));
  return out;
}

void Writer::write_nodes(const Region& region) {
  for (const Node* node : region.nodes) {
    if (!is_live(*node)) continue;
    if (node->op->write != nullptr) {
      node->op->write(*this, *node);
    } else {
      op(*node, node->op->mlir);
    }
  }
}

}  // namespace meshwright::graph
