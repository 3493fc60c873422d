// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/docs.h"

#include "meshwright/base/str.h"
#include "meshwright/config/find_fields.h"
#include "meshwright/config/sections.h"
#include "meshwright/config/toml_text.h"

namespace meshwright::config {
namespace {

/// Escapes text for a table cell.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

/// Returns a default that fits into a cell: for a table, which has its own section, only its type.
std::string default_text(const FoundField& found) {
  if (!found.default_value) return "required";
  const Node& node = *found.default_value;
  if (const Table* table = node.table()) {
    const Node* type = table->find("type");
    return type == nullptr ? "" : str("`type = ", toml_value(*type), "`");
  }
  return str("`", short_toml_value(node), "`");
}

std::string text_of(const Section& section) {
  std::string out;
  if (!section.path.empty()) out = str("\n## `", section.path, "`");
  if (!section.tag.empty()) out += str(" with `type = \"", section.tag, "\"`");
  if (!section.path.empty()) out += "\n";
  if (section.keys.empty()) return out + "\nNo further settings.\n";
  out += "\n| key | type | default | meaning |\n|---|---|---|---|\n";
  for (const SectionKey& key : section.keys) {
    const Field& field = key.found.field;
    const std::string where = key.described_at.empty() ? "" : str(" (as `", key.described_at, "`)");
    out += str("| `", field.name, "` | ", cell(field_type_text(field)), " | ",
               cell(default_text(key.found)), " | ", cell(field.help), where, " |\n");
  }
  return out;
}

}  // namespace

std::string markdown(const Type& type) {
  std::string out;
  for (const Section& section : sections(type))
    out += text_of(section);
  return out;
}

}  // namespace meshwright::config
