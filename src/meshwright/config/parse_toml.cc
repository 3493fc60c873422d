// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/parse_toml.h"

#include <algorithm>

// In this one file only, and only what reads: compiling it takes seconds.
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 64
#include <toml++/toml.h>

#include "meshwright/base/error.h"
#include "meshwright/config/key_depth.h"

namespace meshwright::config {
namespace {

using SourcePtr = std::shared_ptr<const Source>;

constexpr std::size_t kMostKeyParts = 64;

[[noreturn]] void fail_at(const Origin& origin, std::string_view what) {
  std::string shown = excerpt(origin);
  if (!shown.empty()) shown.pop_back();
  fail(ErrorCode::invalid_argument, origin, ": ", printable(what), shown.empty() ? "" : "\n",
       shown);
}

class Converter {
 public:
  explicit Converter(SourcePtr source) : source_(std::move(source)) {}

  Node convert(const toml::node& node) const {
    Node result;
    result.origin = origin_of(node.source());
    if (const auto* table = node.as_table()) {
      result.value = convert_table(*table);
    } else if (const auto* array = node.as_array()) {
      result.value = convert_array(*array);
    } else if (const auto* text = node.as_string()) {
      result.value = text->get();
    } else if (const auto* integer = node.as_integer()) {
      result.value = integer->get();
    } else if (const auto* number = node.as_floating_point()) {
      result.value = number->get();
    } else if (const auto* boolean = node.as_boolean()) {
      result.value = boolean->get();
    } else {
      fail_at(result.origin, "dates and times are not used in configs; put it in quotes");
    }
    return result;
  }

 private:
  Origin origin_of(const toml::source_region& region) const {
    return {source_, region.begin.line, region.begin.column};
  }

  Array convert_array(const toml::array& array) const {
    Array result;
    for (const toml::node& element : array)
      result.push_back(convert(element));
    return result;
  }

  Table convert_table(const toml::table& table) const {
    std::vector<std::pair<const toml::key*, const toml::node*>> in_order;
    for (auto&& [key, node] : table)
      in_order.emplace_back(&key, &node);
    const auto place = [](const toml::key& key) {
      return std::pair(key.source().begin.line, key.source().begin.column);
    };
    std::sort(in_order.begin(), in_order.end(),
              [&](const auto& a, const auto& b) { return place(*a.first) < place(*b.first); });
    Table result;
    for (const auto& [key, node] : in_order) {
      Node converted = convert(*node);
      converted.key_origin = origin_of(key->source());
      result.set(std::string(key->str()), std::move(converted));
    }
    return result;
  }

  SourcePtr source_;
};

toml::table parse(const Source& source) {
  if (const auto line = find_line_of_deep_key(source.text, kMostKeyParts))
    throw toml::parse_error("a key of too many parts",
                            toml::source_position{static_cast<toml::source_index>(*line), 1});
  return toml::parse(source.text);
}

}  // namespace

Node parse_toml(const SourcePtr& source) {
  try {
    Node document = Converter(source).convert(parse(*source));
    document.origin.line = 0;  // it is the whole text, not its first line
    return document;
  } catch (const toml::parse_error& error) {
    const Origin origin = {source, error.source().begin.line, error.source().begin.column};
    fail_at(origin, str("this is not TOML: ", error.description()));
  }
}

std::optional<Node> find_toml_value(const std::string& text) {
  const auto source = std::make_shared<const Source>(Source{"", "value = " + text, true});
  try {
    Node document = Converter(source).convert(parse(*source));
    Table& table = std::get<Table>(document.value);
    // A line break in the text could smuggle in a second key.
    if (table.size() != 1) return std::nullopt;
    return std::move(table.entries().front().node);
  } catch (const toml::parse_error&) {
    return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // a date: where a string is wanted, a string
  }
}

}  // namespace meshwright::config
