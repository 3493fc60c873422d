// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/find_fields.h"

#include <algorithm>
#include <span>

#include "meshwright/base/check.h"
#include "meshwright/base/nearest.h"
#include "meshwright/config/path.h"
#include "meshwright/config/problems.h"
#include "meshwright/config/toml_text.h"
#include "meshwright/config/write.h"

namespace meshwright::config {
namespace {

using Parts = std::span<const std::string>;

/// The position of the search: a type, and an object with its defaults if there is one.
struct Spot {
  const Type* type;
  void* object;
  std::string path;
  std::optional<Condition> condition;
  const Node* resolved;
};

/// Collects the places where fields have this name, "evaluators.NAME.data.seed", once each.
class Namesakes {
 public:
  explicit Namesakes(std::string name) : name_(std::move(name)) {}

  void look_in(const Type& type, const std::string& path) {
    if (std::ranges::find(above_, &type) != above_.end()) return;  // a recursive table
    above_.push_back(&type);
    if (type.kind == Kind::optional) look_in(type.element(), path);
    if (type.kind == Kind::list) look_in(type.element(), join_path(path, "0"));
    if (type.kind == Kind::map) look_in(type.element(), join_path(path, "NAME"));
    if (type.kind == Kind::table) look_at_fields(type, path);
    for (const Alternative& alternative : type.variant.alternatives)
      if (!alternative.tag.empty()) look_in(alternative.type(), path);
    above_.pop_back();
  }
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  void look_at_fields(const Type& type, const std::string& path) {
    const std::shared_ptr<void> object = type.create();
    const Fields fields = fields_of(type, object.get());
    for (const Field& field : fields.list()) {
      std::string here = join_path(path, field.name);
      look_in(*field.type, here);
      if (field.name == name_ && std::ranges::find(paths_, here) == paths_.end())
        paths_.push_back(std::move(here));
    }
  }

  std::string name_;
  std::vector<const Type*> above_;
  std::vector<std::string> paths_;
};

class Finder {
 public:
  /// `field` describes the spot itself.
  void find(const Spot& spot, const FoundField& field, Parts parts) {
    if (parts.empty()) return found_.push_back(field);
    const Type& type = *spot.type;
    switch (type.kind) {
      case Kind::optional:
        return find_element(spot, field, parts, spot.path);
      case Kind::list:
        if (find_position(parts[0]))
          return find_element(spot, field, parts.subspan(1), join_path(spot.path, parts[0]));
        if (type.list.takes_single) return find_element(spot, field, parts, spot.path);
        names_.emplace_back("0");
        return;
      case Kind::map:
        return find_element(spot, field, parts.subspan(1), join_path(spot.path, parts[0]));
      case Kind::table:
        return find_in_table(spot, parts);
      case Kind::variant:
        // The key `type` is described with its table.
        if (parts.size() == 1 && parts[0] == "type" && is_tagged(type))
          return found_.push_back(field);
        return find_in_alternatives(spot, parts);
      default:
        return;
    }
  }

  const std::vector<FoundField>& found() const { return found_; }

  std::vector<FoundField> take(const Type& root, const std::string& path) {
    const std::string asked = path.substr(path.rfind('.') + 1);
    if (found_.empty()) {
      Namesakes namesakes(asked);
      namesakes.look_in(root, "");
      const std::string hint = namesakes.paths().empty()
                                   ? did_you_mean(asked, names_)
                                   : "; it exists as " + join(namesakes.paths(), ", ");
      fail_with_remedy(ErrorCode::invalid_argument, list_keys(""), "unknown key '", path, "'",
                       hint);
    }
    return std::move(found_);
  }

 private:
  static bool is_tagged(const Type& type) {
    return std::ranges::any_of(type.variant.alternatives,
                               [](const Alternative& one) { return !one.tag.empty(); });
  }

  static const Node* step_into(const Node* resolved, const std::string& part) {
    return resolved == nullptr ? nullptr : find_node(*resolved, {part});
  }

  void find_element(const Spot& spot, const FoundField& field, Parts parts, std::string path) {
    const Type& element = spot.type->element();
    const bool is_inside = path != spot.path;
    const std::shared_ptr<void> object = element.create ? element.create() : nullptr;
    FoundField inner = field;
    inner.path = path;
    inner.field.type = &element;
    if (is_inside) inner.default_value.reset();
    const Node* resolved =
        is_inside ? step_into(spot.resolved, path.substr(path.rfind('.') + 1)) : spot.resolved;
    find({&element, object.get(), std::move(path), spot.condition, resolved}, inner, parts);
  }

  void find_in_table(const Spot& spot, Parts parts) {
    const Fields fields = fields_of(*spot.type, spot.object);
    for (const Field& field : fields.list()) {
      names_.push_back(field.name);
      if (field.name != parts[0]) continue;
      FoundField found = describe(field, join_path(spot.path, field.name));
      found.condition = spot.condition;
      find({field.type, field.value, found.path, spot.condition,
            step_into(spot.resolved, field.name)},
           found, parts.subspan(1));
    }
  }

  void find_in_alternatives(const Spot& spot, Parts parts) {
    const Node* chosen = spot.resolved == nullptr ? nullptr : find_node(*spot.resolved, {"type"});
    for (const Alternative& alternative : spot.type->variant.alternatives) {
      if (alternative.tag.empty()) continue;
      const bool is_chosen = chosen == nullptr ||
                             (chosen->string() != nullptr && *chosen->string() == alternative.tag);
      if (!is_chosen) continue;
      const std::shared_ptr<void> object = alternative.type().create();
      find_in_table(
          {&alternative.type(), object.get(), spot.path,
           Condition{join_path(spot.path, "type"), str('"', alternative.tag, '"')}, spot.resolved},
          parts);
    }
  }

  std::vector<FoundField> found_;
  std::vector<std::string> names_;  // alternatives to a wrong part
};

/// Throws if the key exists only in an alternative of a tagged table that the config does not
/// select.
void refuse_key_of_other_type(const std::string& path,
                              const std::vector<FoundField>& anywhere,
                              const Node& resolved) {
  std::vector<Condition> conditions;
  for (const FoundField& found : anywhere)
    if (found.condition) conditions.push_back(*found.condition);
  if (conditions.empty()) return;
  const std::string& type_key = conditions[0].key;
  const Node* type = find_node(resolved, *find_path_parts(type_key));
  fail(ErrorCode::invalid_argument, "'", path, "' exists only with ", join(conditions, " or "),
       type == nullptr ? "" : str("; this config has ", type_key, " = ", toml_value(*type)));
}

}  // namespace

std::string to_string(const Condition& condition) {
  return str(condition.key, " = ", condition.value);
}

FoundField describe(const Field& field, const std::string& path) {
  FoundField found = {path, {}, field, std::nullopt};
  if (!field.is_required) found.default_value = write_object(*field.type, field.value);
  return found;
}

std::vector<FoundField> find_fields(const Type& type,
                                    const std::string& path,
                                    const Node* resolved) {
  const auto parts = find_path_parts(path);
  MW_CHECK(parts, "'", path, "' is not a dotted key such as optimizer.lr");
  const std::shared_ptr<void> object = type.create();
  Finder finder;
  finder.find({&type, object.get(), "", {}, resolved}, {}, *parts);
  if (finder.found().empty() && resolved != nullptr) {
    Finder anywhere;
    anywhere.find({&type, object.get(), "", {}, nullptr}, {}, *parts);
    refuse_key_of_other_type(path, anywhere.found(), *resolved);
  }
  return finder.take(type, path);
}

std::string field_type_text(const Field& field) {
  std::string text = type_text(*field.type);
  if (const std::string limits = limits_text(field.checks.limits); !limits.empty())
    text += str(", ", limits);
  if (!field.checks.one_of.empty())
    text += str(", \"", join(field.checks.one_of, "\" or \""), "\"");
  if (!field.checks.rule.empty()) text += str(", must ", field.checks.rule);
  if (!field.unit_name.empty()) text += str(", in ", field.unit_name);
  return text;
}

}  // namespace meshwright::config
