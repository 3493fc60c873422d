// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/docs.h"

#include <deque>
#include <map>

#include "meshwright/base/str.h"
#include "meshwright/config/find_fields.h"
#include "meshwright/config/path.h"
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

/// Returns a default that fits into a cell. Omits values that have their own sections.
std::string default_text(const FoundField& found) {
  if (!found.default_value) return "required";
  const Node& node = *found.default_value;
  if (const Table* table = node.table()) {
    const Node* type = table->find("type");
    return type == nullptr ? "" : str("`type = ", toml_value(*type), "`");
  }
  return str("`", short_toml_value(node), "`");
}

/// Writes sections in the order of discovery, each type once.
class Markdown {
 public:
  std::string write(const Type& type) {
    queue_.push_back({&type, "", ""});
    while (!queue_.empty()) {
      const Section section = queue_.front();
      queue_.pop_front();
      write_section(section);
    }
    return std::move(text_);
  }

 private:
  struct Section {
    const Type* type;
    std::string path;
    std::string tag;
  };

  void write_section(const Section& section) {
    if (!section.path.empty()) text_ += str("\n## `", section.path, "`", section.tag, "\n");
    const std::shared_ptr<void> object = section.type->create();
    const Fields fields = fields_of(*section.type, object.get());
    if (fields.list().empty()) {
      text_ += "\nNo further settings.\n";
      return;
    }
    text_ += "\n| key | type | default | meaning |\n|---|---|---|---|\n";
    for (const Field& field : fields.list()) {
      const FoundField found = describe(field, join_path(section.path, field.name));
      const std::string where = queue_inner(*field.type, found.path);
      text_ += str("| `", field.name, "` | ", cell(field_type_text(field)), " | ",
                   cell(default_text(found)), " | ", cell(field.help), where, " |\n");
    }
  }

  /// Queues sections for the content of a value. Returns a reference if they are elsewhere.
  std::string queue_inner(const Type& type, const std::string& path) {
    switch (type.kind) {
      case Kind::optional:
        return queue_inner(type.element(), path);
      case Kind::list:
        return queue_inner(type.element(), path + ".0");
      case Kind::map:
        return queue_inner(type.element(), path + ".NAME");
      case Kind::table:
      case Kind::variant:
        break;
      default:
        return "";
    }
    const auto [known, is_new] = written_.emplace(&type, path);
    if (!is_new) return str(" (as `", known->second, "`)");
    if (type.kind == Kind::table) queue_.push_back({&type, path, ""});
    for (const Alternative& alternative : type.variant.alternatives)
      if (!alternative.tag.empty())
        queue_.push_back(
            {&alternative.type(), path, str(" with `type = \"", alternative.tag, "\"`")});
    return "";
  }

  std::deque<Section> queue_;
  std::map<const Type*, std::string> written_;
  std::string text_;
};

}  // namespace

std::string markdown(const Type& type) {
  return Markdown().write(type);
}

}  // namespace meshwright::config
