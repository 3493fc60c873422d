// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>

#include "meshwright/base/check.h"
#include "meshwright/cli/config_args.h"
#include "meshwright/cli/config_commands.h"
#include "meshwright/config/find_fields.h"
#include "meshwright/config/path.h"
#include "meshwright/config/toml_text.h"

namespace meshwright::cli {
namespace {

using config::Node;

void print_row(std::string_view name, const std::string& text) {
  if (!text.empty()) std::cout << "  " << name << std::string(9 - name.size(), ' ') << text << "\n";
}

/// Prints the keys of a table, one per line.
void print_keys(const config::Type& type) {
  const std::shared_ptr<void> object = type.create();
  const config::Fields fields = config::fields_of(type, object.get());
  std::size_t width = 0;
  for (const config::Field& field : fields.list())
    width = std::max(width, field.name.size());
  for (const config::Field& field : fields.list())
    std::cout << "    " << field.name << std::string(width + 2 - field.name.size(), ' ')
              << field.help << "\n";
}

/// Prints the keys of a table, for a tagged table those of each alternative or, if `value` is
/// given, of the chosen one.
void print_contents(const config::Type& type, const Node* value) {
  if (type.kind == config::Kind::optional) return print_contents(type.element(), value);
  if (type.kind == config::Kind::table) {
    std::cout << "  keys\n";
    print_keys(type);
  }
  const Node* chosen =
      value == nullptr || value->table() == nullptr ? nullptr : value->table()->find("type");
  for (const config::Alternative& alternative : type.variant.alternatives) {
    if (alternative.tag.empty()) continue;
    if (chosen != nullptr && chosen->string() != nullptr && *chosen->string() != alternative.tag)
      continue;
    std::cout << "  keys with type = \"" << alternative.tag << "\"\n";
    print_keys(alternative.type());
  }
}

// A config, and the values in force after presets and defaults.
struct Explained {
  ResolvedConfig config;
  Node in_force;
  std::string decided_by;
};

Explained load(const config::Type& type, const ConfigArgs& args, Settle settle) {
  Explained out;
  out.config =
      resolve_config(type, args.names.size() == 2 ? args.names[1] : kDefaultConfig, args.overrides);
  out.in_force =
      changed_values(type, out.config, [&](void* object) { out.decided_by = settle(object); });
  return out;
}

/// Returns where a value was set; for a table put together from overrides, where its first key was.
std::string origin_text(const Node& written) {
  const config::Table* table = written.table();
  const bool is_of_keys = !written.origin.source && table != nullptr && !table->entries().empty();
  return is_of_keys ? origin_text(table->entries().front().node) : to_string(written.origin);
}

/// Prints the value of a key; for a table only the keys that are set.
void print_value(const config::FoundField& found, const Explained& explained) {
  const ResolvedConfig& config = explained.config;
  const auto parts = config::find_path_parts(found.path);
  const Node* value = config::find_node(config.values, *parts);
  if (value == nullptr) return;
  const Node* written = config::find_node(config.written, *parts);
  const bool is_part = written != nullptr && value->table() != nullptr;
  print_row("value", str(toml_value(is_part ? *written : *value), "   (",
                         written == nullptr ? "the default" : origin_text(*written), ")"));
  const Node* in_force = config::find_node(explained.in_force, *parts);
  if (in_force != nullptr && toml_value(*in_force) != toml_value(*value))
    print_row("in force", str(toml_value(*in_force), "   (by ", explained.decided_by, ")"));
}

/// Describes what a key means, whatever its path and condition.
struct Description {
  std::string meaning;
  std::string takes;
  std::string default_text;
  const config::Type* type;  // may contain keys to list

  bool operator==(const Description&) const = default;
};

Description described(const config::FoundField& found) {
  Description out = {.meaning = found.field.help,
                     .takes = config::field_type_text(found.field),
                     .default_text = "",
                     .type = found.field.type};
  if (found.default_value && found.default_value->table() == nullptr)
    out.default_text = toml_value(*found.default_value);
  if (found.field.is_required) out.default_text = "none: it must be set";
  return out;
}

/// A field, and the conditions under which the same description holds.
struct FieldGroup {
  config::FoundField field;
  Description description;
  std::vector<config::Condition> conditions;
};

/// Merges fields with equal descriptions, in order of the first of each.
std::vector<FieldGroup> grouped(const std::vector<config::FoundField>& fields) {
  std::vector<FieldGroup> out;
  for (const config::FoundField& found : fields) {
    const Description description = described(found);
    auto equal = std::ranges::find(out, description, &FieldGroup::description);
    if (equal == out.end()) {
      out.push_back({found, description, {}});
      equal = std::prev(out.end());
    }
    if (found.condition) equal->conditions.push_back(*found.condition);
  }
  return out;
}

/// Returns 'optimizer.type = "adam" or "lion"' for conditions on the same key.
std::string condition_text(const std::vector<config::Condition>& conditions) {
  const auto is_of_first = [&](const config::Condition& one) {
    return one.key == conditions[0].key;
  };
  if (!std::ranges::all_of(conditions, is_of_first)) return join(conditions, " or ");
  std::vector<std::string> values;
  for (const config::Condition& condition : conditions)
    values.push_back(condition.value);
  return str(conditions[0].key, " = ", join(values, " or "));
}

void print_field(const FieldGroup& group, const Explained* config, KeyNotes notes) {
  const config::FoundField& found = group.field;
  std::cout << found.path
            << (group.conditions.empty() ? "" : "   with " + condition_text(group.conditions))
            << "\n";
  print_row("meaning", group.description.meaning);
  print_row("takes", group.description.takes);
  print_row("default", group.description.default_text);
  if (config != nullptr) print_value(found, *config);
  if (notes != nullptr) {
    for (const std::string& line :
         notes(found.path, config == nullptr ? nullptr : &config->config.values))
      std::cout << "  " << line << "\n";
  }
  const auto parts = config::find_path_parts(found.path);
  print_contents(*found.field.type,
                 config == nullptr ? nullptr : config::find_node(config->config.values, *parts));
}

struct ExplainArgs {
  Args key_and_config;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Explains a key: its meaning, type and default and, given a config, its value there and "
        "the line that set it.");
    parser.positionals(key_and_config,
                       {"KEY [CONFIG|RUN] [key.path=value...]", Offer::key_and_config},
                       "a dotted key, such as optimizer.b1; then a TOML file, the name of one in "
                       "configs/, or a run folder");
  }
};

int explain(const config::Type& type, Settle settle, KeyNotes notes, const ExplainArgs& args) {
  const ConfigArgs split = split_config_args(args.key_and_config);
  MW_CHECK(
      !split.names.empty() && split.names.size() <= 2,
      "config explain: takes a key and perhaps a config\nsee: meshwright config explain --help");
  const std::string& key = split.names[0];
  const bool has_config = split.names.size() == 2 || !split.overrides.empty();
  std::optional<Explained> config;
  if (has_config) config = load(type, split, settle);
  for (const FieldGroup& group :
       grouped(config::find_fields(type, key, config ? &config->config.values : nullptr)))
    print_field(group, config ? &*config : nullptr, notes);
  return 0;
}

}  // namespace

CommandBody explain_config(const std::string& name,
                           const config::Type& type,
                           Settle settle,
                           KeyNotes notes) {
  return make_command<ExplainArgs>(name, [&type, settle, notes](const ExplainArgs& args) {
    return explain(type, settle, notes, args);
  });
}

}  // namespace meshwright::cli
