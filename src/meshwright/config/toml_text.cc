// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/toml_text.h"

#include <algorithm>
#include <cmath>

#include "meshwright/base/str.h"
#include "meshwright/config/path.h"

namespace meshwright::config {
namespace {

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

std::string escaped(unsigned char c) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  switch (c) {
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    default:
      return str("\\u00", kHex[c / 16], kHex[c % 16]);
  }
}

std::string toml_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte >= 0x20 && byte != 0x7F && c != '"' && c != '\\';
    is_plain ? out += c : out += escaped(byte);
  }
  return out + '"';
}

std::string number_text(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  const std::string text = str(number);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

struct ValueText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return str(value); }
  std::string operator()(double value) const { return number_text(value); }
  std::string operator()(const std::string& value) const { return toml_quoted(value); }
  std::string operator()(const Array& array) const {
    std::vector<std::string> parts;
    for (const Node& element : array)
      parts.push_back(toml_value(element));
    return str("[", join(parts, ", "), "]");
  }
  std::string operator()(const Table& table) const {
    if (table.size() == 0) return "{}";
    std::vector<std::string> parts;
    for (const auto& [key, node] : table.entries())
      parts.push_back(str(toml_key(key), " = ", toml_value(node)));
    return str("{ ", join(parts, ", "), " }");
  }
};

/// True if it is written as [[sections]].
bool is_list_of_tables(const Node& node) {
  const Array* array = node.array();
  return array != nullptr && !array->empty() &&
         std::all_of(array->begin(), array->end(),
                     [](const Node& element) { return element.table() != nullptr; });
}

class DocumentWriter {
 public:
  explicit DocumentWriter(const Comment& comment) : comment_(comment) {}

  void write_body(const Table& table, const std::string& path) {
    for (const auto& [key, node] : table.entries())
      if (node.table() == nullptr && !is_list_of_tables(node)) write_line(key, node, path);
    for (const auto& [key, node] : table.entries()) {
      const std::string inner = join_path(path, key);
      if (const Table* section = node.table()) write_section(*section, inner);
      if (is_list_of_tables(node)) write_sections(*node.array(), inner);
    }
  }

  std::string take() { return std::move(text_); }

 private:
  void write_line(const std::string& key, const Node& node, const std::string& path) {
    text_ += str(toml_key(key), " = ", toml_value(node));
    const std::string comment = comment_ ? comment_(join_path(path, key), node) : "";
    text_ += comment.empty() ? "\n" : str("  # ", comment, "\n");
  }

  void write_section(const Table& section, const std::string& path) {
    // A table that contains only tables needs no header.
    const bool needs_header =
        section.size() == 0 ||
        std::any_of(section.entries().begin(), section.entries().end(), [](const Entry& entry) {
          return entry.node.table() == nullptr && !is_list_of_tables(entry.node);
        });
    if (needs_header) start_section(str("[", path, "]\n"));
    write_body(section, path);
  }

  void write_sections(const Array& sections, const std::string& path) {
    for (const Node& section : sections) {
      start_section(str("[[", path, "]]\n"));
      write_body(*section.table(), path);
    }
  }

  void start_section(const std::string& header) {
    if (!text_.empty()) text_ += '\n';
    text_ += header;
  }

  const Comment& comment_;
  std::string text_;
};

}  // namespace

std::string toml_key(std::string_view key) {
  const bool is_plain = !key.empty() && std::all_of(key.begin(), key.end(), is_bare);
  return is_plain ? std::string(key) : toml_quoted(key);
}

std::string toml_value(const Node& node) {
  return std::visit(ValueText(), node.value);
}

std::string short_toml_value(const Node& node) {
  constexpr std::size_t kMost = 60;
  std::string text = toml_value(node);
  if (text.size() <= kMost) return text;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;  // keep characters whole
  return text.substr(0, end) + "...";
}

std::string toml_document(const Table& table, const Comment& comment) {
  DocumentWriter writer(comment);
  writer.write_body(table, "");
  return writer.take();
}

}  // namespace meshwright::config
