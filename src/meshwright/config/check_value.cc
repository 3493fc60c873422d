// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/check_value.h"

#include <algorithm>

#include "meshwright/base/nearest.h"
#include "meshwright/base/str.h"
#include "meshwright/config/path.h"
#include "meshwright/config/toml_text.h"

namespace meshwright::config {
namespace {

/// NaN violates every limit.
bool is_within(double value, const Check& limits) {
  return (!limits.above || value > *limits.above) &&
         (!limits.at_least || value >= *limits.at_least) &&
         (!limits.below || value < *limits.below) && (!limits.at_most || value <= *limits.at_most);
}

class Checker {
 public:
  explicit Checker(Problems& problems) : problems_(problems) {}

  void check(const CheckedValue& value, const Node& node) {
    switch (value.type.kind) {
      case Kind::integer:
        return check_number(value, node, static_cast<double>(value.type.integer.get(value.object)));
      case Kind::number:
        return check_number(value, node, value.type.number.get(value.object));
      case Kind::text:
        return check_text(value, node);
      case Kind::optional:
        if (void* inside = value.type.optional.find(value.object))
          check({value.type.element(), inside, value.path, value.checks}, node);
        return;
      case Kind::list:
        return check_list(value, node);
      case Kind::map:
        return check_map(value, node);
      case Kind::variant:
        return check_variant(value, node);
      default:
        return;
    }
  }

 private:
  void refuse(const CheckedValue& value, const Node& node, const std::string& rule) {
    problems_.add(node.origin,
                  str(value.path, " is ", short_toml_value(node), ", but must ", rule));
  }

  void check_number(const CheckedValue& value, const Node& node, double number) {
    if (!is_within(number, value.checks.limits))
      refuse(value, node, "be " + limits_text(value.checks.limits));
  }

  void check_text(const CheckedValue& value, const Node& node) {
    const std::string text = value.type.text.get(value.object);
    if (value.checks.limits.non_empty && text.empty()) return refuse(value, node, "not be empty");
    const std::vector<std::string>& one_of = value.checks.one_of;
    if (one_of.empty() || std::find(one_of.begin(), one_of.end(), text) != one_of.end()) return;
    const auto nearest = find_nearest(text, one_of);
    refuse(value, node,
           str("be \"", join(one_of, "\" or \""), "\"",
               nearest ? str("; did you mean '", *nearest, "'?") : ""));
  }

  /// Returns the constraints that apply to elements: all but the size.
  static Checks element_checks(const Checks& checks) {
    Checks result = {.limits = checks.limits, .one_of = checks.one_of};
    result.limits.non_empty = false;
    return result;
  }

  void check_list(const CheckedValue& value, const Node& node) {
    const ListOps& list = value.type.list;
    const std::size_t size = list.size(value.object);
    if (value.checks.limits.non_empty && size == 0) return refuse(value, node, "not be empty");
    const Checks checks = element_checks(value.checks);
    const Array* array = node.array();
    for (std::size_t i = 0; i < size; ++i) {
      const bool has_node = array != nullptr && i < array->size();
      check({value.type.element(), list.at(value.object, i),
             array != nullptr ? join_path(value.path, str(i)) : value.path, checks},
            has_node ? (*array)[i] : node);
    }
  }

  void check_map(const CheckedValue& value, const Node& node) {
    const Checks checks = element_checks(value.checks);
    std::size_t size = 0;
    value.type.map.visit(value.object, [&](const std::string& key, void* object) {
      ++size;
      const Node* inner = node.table() == nullptr ? nullptr : node.table()->find(key);
      check({value.type.element(), object, join_path(value.path, key), checks},
            inner != nullptr ? *inner : node);
    });
    if (value.checks.limits.non_empty && size == 0) refuse(value, node, "not be empty");
  }

  void check_variant(const CheckedValue& value, const Node& node) {
    const VariantOps& variant = value.type.variant;
    const Alternative& held = variant.alternatives.at(variant.index(value.object));
    if (held.tag.empty())
      check({held.type(), variant.held(value.object), value.path, value.checks}, node);
  }

  Problems& problems_;
};

}  // namespace

void check_value(const CheckedValue& value, const Node& node, Problems& problems) {
  const std::size_t num_before = problems.size();
  Checker(problems).check(value, node);
  const bool is_broken = value.checks.holds && !value.checks.holds(value.object);
  if (is_broken && problems.size() == num_before)
    problems.add(node.origin,
                 str(value.path, " is ", short_toml_value(node), ", but must ", value.checks.rule));
}

}  // namespace meshwright::config
