// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/parquet/schema.h"

#include <array>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/nearest.h"
#include "meshwright/base/printable.h"
#include "meshwright/data/parquet/thrift_reader.h"

namespace meshwright::data::parquet {
namespace {

constexpr std::size_t kMaxNodes = 100000;
constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxNamesInMessage = 32;

constexpr std::array<std::string_view, 8> kTypes = {
    "BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};

constexpr std::array<std::string_view, 22> kConvertedTypes = {
    "STRING",  "MAP",       "MAP_KEY_VALUE", "LIST",    "ENUM",    "DECIMAL", "DATE",    "TIME",
    "TIME",    "TIMESTAMP", "TIMESTAMP",     "INTEGER", "INTEGER", "INTEGER", "INTEGER", "INTEGER",
    "INTEGER", "INTEGER",   "INTEGER",       "JSON",    "BSON",    "INTERVAL"};
constexpr std::int64_t kFirstUnsigned = 11;
constexpr std::int64_t kLastUnsigned = 14;

constexpr std::array<std::string_view, 19> kLogicalTypes = {
    "",        "STRING", "MAP",  "LIST", "ENUM", "DECIMAL", "DATE",    "TIME",     "TIMESTAMP", "",
    "INTEGER", "NULL",   "JSON", "BSON", "UUID", "FLOAT16", "VARIANT", "GEOMETRY", "GEOGRAPHY"};

void read_logical_type(ThriftReader& reader, const ThriftField& field, SchemaNode& out) {
  reader.read_struct(field, [&](const ThriftField& type) {
    out.annotation = type.id < std::ssize(kLogicalTypes)
                         ? kLogicalTypes.at(static_cast<std::size_t>(type.id))
                         : "an unknown type";
    if (out.annotation != "INTEGER") return false;
    reader.read_struct(type, [&](const ThriftField& detail) {
      if (detail.id != 2) return false;
      out.is_unsigned = !reader.boolean(detail);
      return true;
    });
    return true;
  });
}

template <typename Enum>
Enum checked_enum(std::int64_t value, std::int64_t last, std::string_view what) {
  if (value < 0 || value > last) fail(ErrorCode::data_loss, "schema: unknown ", what, " ", value);
  return static_cast<Enum>(value);
}

struct Element {
  SchemaNode node;
  int num_children = 0;
  bool has_type = false;
};

Element read_element(ThriftReader& reader, const ThriftField& field) {
  Element out;
  bool has_name = false;
  reader.read_struct(field, [&](const ThriftField& f) {
    switch (f.id) {
      case 1:
        out.has_type = true;
        out.node.type = checked_enum<PhysicalType>(reader.integer(f), 7, "type");
        return true;
      case 3:
        out.node.repetition = checked_enum<Repetition>(reader.integer(f), 2, "repetition");
        return true;
      case 4:
        has_name = true;
        out.node.name = reader.text(f);
        return true;
      case 5:
        out.num_children = reader.size(f);
        return true;
      case 6: {
        const std::int64_t type = reader.integer(f);
        const bool is_known = type >= 0 && type < std::ssize(kConvertedTypes);
        out.node.annotation =
            is_known ? kConvertedTypes.at(static_cast<std::size_t>(type)) : "an unknown type";
        out.node.is_unsigned = type >= kFirstUnsigned && type <= kLastUnsigned;
        return true;
      }
      case 10:
        read_logical_type(reader, f, out.node);
        return true;
      default:
        return false;
    }
  });
  if (!has_name) fail(ErrorCode::data_loss, "schema: a column has no name");
  return out;
}

}  // namespace

std::string_view to_string(PhysicalType type) {
  return kTypes.at(static_cast<std::size_t>(type));
}

Schema Schema::parse(ThriftReader& reader, const ThriftField& list) {
  Schema out;
  reader.read_list(list, [&](const ThriftField& field) {
    Element element = read_element(reader, field);
    if (out.nodes_.size() == kMaxNodes)
      fail(ErrorCode::data_loss, "schema: has more than ", kMaxNodes, " columns");
    element.node.is_leaf = element.has_type && element.num_children == 0;
    if (!element.node.is_leaf && element.has_type)
      fail(ErrorCode::data_loss, "schema: a column with a type has children");
    out.nodes_.push_back(std::move(element.node));
    out.num_children_.push_back(element.num_children);
    return true;
  });
  out.link();
  return out;
}

// The list is in depth-first order.
void Schema::link() {
  if (nodes_.empty() || nodes_.front().is_leaf) fail(ErrorCode::data_loss, "schema: has no root");
  nodes_.front().repetition = Repetition::required;
  std::vector<std::size_t> parents = {0};
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    while (!parents.empty() &&
           std::ssize(nodes_[parents.back()].children) == num_children_[parents.back()])
      parents.pop_back();
    if (parents.empty()) fail(ErrorCode::data_loss, "schema: has columns outside the root");
    SchemaNode& node = nodes_[i];
    SchemaNode& parent = nodes_[parents.back()];
    parent.children.push_back(i);
    node.max_definition = parent.max_definition + (node.repetition != Repetition::required);
    node.max_repetition = parent.max_repetition + (node.repetition == Repetition::repeated);
    if (node.is_leaf) {
      node.leaf = num_leaves_++;
      continue;
    }
    parents.push_back(i);
    if (std::ssize(parents) > kMaxDepth) fail(ErrorCode::data_loss, "schema: nested too deeply");
  }
  for (std::size_t parent : parents) {
    if (std::ssize(nodes_[parent].children) != num_children_[parent])
      fail(ErrorCode::data_loss, "schema: truncated");
  }
}

std::vector<std::size_t> Schema::found(std::size_t from, std::string_view path) const {
  std::vector<std::size_t> out;
  for (std::size_t child : nodes_[from].children) {
    const std::string& name = nodes_[child].name;
    if (name == path) out.push_back(child);
    if (path.size() > name.size() && path.starts_with(name) && path[name.size()] == '.') {
      const std::vector<std::size_t> below = found(child, path.substr(name.size() + 1));
      out.insert(out.end(), below.begin(), below.end());
    }
  }
  return out;
}

std::size_t Schema::find(std::size_t from, std::string_view path) const {
  const std::vector<std::size_t> all = found(from, path);
  if (all.size() == 1) return all.front();
  if (all.size() > 1) fail(ErrorCode::invalid_argument, "has the column '", path, "' twice");
  // Names the nearest column where the path ends.
  std::string_view rest = path;
  bool has_moved = true;
  while (has_moved) {
    has_moved = false;
    const std::string_view first = rest.substr(0, rest.find('.'));
    for (std::size_t child : nodes_[from].children) {
      if (has_moved || nodes_[child].name != first || first.size() == rest.size()) continue;
      from = child;
      rest.remove_prefix(first.size() + 1);
      has_moved = true;
    }
  }
  std::vector<std::string> names;
  for (std::size_t child : nodes_[from].children) {
    if (names.size() < kMaxNamesInMessage) names.push_back(printable_name(nodes_[child].name));
  }
  fail(ErrorCode::invalid_argument, "has no column '", path, "'",
       did_you_mean(rest.substr(0, rest.find('.')), names));
}

std::size_t Schema::list_element(std::size_t index, std::string_view path) const {
  const SchemaNode& list = nodes_.at(index);
  if (list.repetition == Repetition::repeated) return index;
  const bool is_list = list.children.size() == 1 &&
                       nodes_[list.children.front()].repetition == Repetition::repeated &&
                       list.annotation != "MAP" && list.annotation != "MAP_KEY_VALUE";
  if (!is_list) {
    fail(ErrorCode::invalid_argument, "the column '", path, "' is ",
         list.is_leaf ? to_string(list.type) : "a struct or map", ", expected a list of structs");
  }
  const std::size_t middle = list.children.front();
  const SchemaNode& repeated = nodes_[middle];
  const bool has_two_levels = repeated.children.size() != 1 || repeated.name == "array" ||
                              repeated.name == list.name + "_tuple" ||
                              nodes_[repeated.children.front()].repetition == Repetition::repeated;
  return has_two_levels ? middle : repeated.children.front();
}

}  // namespace meshwright::data::parquet
