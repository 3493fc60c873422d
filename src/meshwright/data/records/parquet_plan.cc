// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/parquet_plan.h"

#include <memory>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/data/records/parquet_records.h"
#include "meshwright/io/user_file.h"

namespace meshwright::data {
namespace {

using parquet::PhysicalType;
using parquet::Schema;
using parquet::SchemaNode;

std::string_view type_of(const SchemaNode& node) {
  if (!node.annotation.empty()) return node.annotation;
  return node.is_leaf ? to_string(node.type) : "a struct";
}

bool is_text(const SchemaNode& node) {
  const std::string& annotation = node.annotation;
  const bool is_of_text =
      annotation.empty() || annotation == "STRING" || annotation == "ENUM" || annotation == "JSON";
  return node.is_leaf && node.type == PhysicalType::byte_array && is_of_text;
}

bool is_comparable(const SchemaNode& node) {
  if (is_text(node)) return true;
  if (!node.is_leaf) return false;
  switch (node.type) {
    case PhysicalType::boolean:
    case PhysicalType::float32:
    case PhysicalType::float64:
      return node.annotation.empty();
    case PhysicalType::int32:
    case PhysicalType::int64:
      return node.annotation.empty() || node.annotation == "INTEGER" || node.annotation == "NULL";
    default:
      return false;
  }
}

void expect(bool is_expected,
            std::string_view path,
            const SchemaNode& node,
            std::string_view expected) {
  if (is_expected) return;
  fail(ErrorCode::invalid_argument, "the column '", path, "' is ", type_of(node), ", expected ",
       expected);
}

void check_repetition(std::string_view path, const SchemaNode& node, int expected) {
  if (node.max_repetition == expected) return;
  fail(ErrorCode::invalid_argument, "the column '", path,
       "' is in a list, expected one value for each ", expected == 0 ? "row" : "message");
}

void add_text(const Schema& schema,
              std::size_t from,
              const std::string& path,
              int max_repetition,
              ParquetPlan& plan) {
  const SchemaNode& node = schema.node(schema.find(from, path));
  expect(is_text(node), path, node, "strings");
  check_repetition(path, node, max_repetition);
  plan.columns.push_back({.path = path, .node = node});
}

void add_messages(const Schema& schema, const ParquetFormat& format, ParquetPlan& plan) {
  const std::size_t list = schema.find(0, format.messages);
  const std::size_t element = schema.list_element(list, format.messages);
  const SchemaNode& list_node = schema.node(list);
  const bool is_repeated = list_node.repetition == parquet::Repetition::repeated;
  check_repetition(format.messages, list_node, is_repeated ? 1 : 0);
  expect(!schema.node(element).is_leaf, format.messages, schema.node(element), "structs");
  plan.list_definition = list_node.max_definition + (is_repeated ? 0 : 1);
  plan.element_definition = schema.node(element).max_definition;
  add_text(schema, element, format.role_field, 1, plan);
  add_text(schema, element, format.content_field, 1, plan);
}

std::vector<std::size_t> choose(const Schema& schema,
                                const RecordSettings& settings,
                                ParquetPlan& plan) {
  const auto& format = std::get<ParquetFormat>(settings.format);
  for (const std::string& path : format.fields)
    add_text(schema, 0, path, 0, plan);
  if (!format.messages.empty()) add_messages(schema, format, plan);
  for (const FieldEquals& equal : settings.filter.equal) {
    const SchemaNode& node = schema.node(schema.find(0, equal.path));
    expect(is_comparable(node), equal.path, node,
           "strings, booleans, integers or floating-point numbers");
    check_repetition(equal.path, node, 0);
    plan.columns.push_back({.path = equal.path, .node = node});
  }
  std::vector<std::size_t> leaves;
  for (const ParquetColumn& column : plan.columns)
    leaves.push_back(column.node.leaf);
  return leaves;
}

}  // namespace

std::shared_ptr<const ParquetPlan> plan_parquet(const std::string& path,
                                                const RecordSettings& settings) {
  auto out = std::make_shared<ParquetPlan>();
  const std::unique_ptr<io::ReadableFile> file = io::open_user_file(path);
  out->row_groups = parquet::read_metadata(*file, path, [&](const Schema& schema) {
                      return choose(schema, settings, *out);
                    }).row_groups;
  return out;
}

std::size_t num_row_groups(const ParquetPlan& plan) {
  return plan.row_groups.size();
}

}  // namespace meshwright::data
