// SPDX-License-Identifier: Apache-2.0
// The object passed to fields(auto& f) of a struct:
//   void fields(auto& f) {
//     f.required("learning_rate", learning_rate, config::kPositive, "peak learning rate");
//     f.optional("b1", b1, config::kFraction, "decay of the first moment");
//     f.optional("timeout_seconds", timeout_seconds, "how long to wait").unit("seconds");
//     f.check("b1", [this] { return b1 < b2; }, "be smaller than b2");
//   }
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "meshwright/config/check.h"
#include "meshwright/config/type.h"

namespace meshwright::config {

template <typename T>
const Type& type_of();

struct Field {
  std::string name;
  const Type* type = nullptr;
  void* value = nullptr;
  bool is_required = false;
  Checks checks = {};
  std::string help = {};
  std::string unit_name = {};

  /// Sets the unit of the number, for the docs.
  Field& unit(std::string_view name_of_unit) {
    unit_name = name_of_unit;
    return *this;
  }
};

/// A constraint that involves several fields of a struct.
struct Relation {
  std::string field;  // the field that messages name
  std::function<bool()> holds;
  std::string text;  // completes "it must ..."
};

class Fields {
 public:
  template <typename T>
  Field& required(std::string_view name, T& member, std::string_view help) {
    return add(name, member, true, {}, help);
  }
  template <typename T, typename SomeCheck>
  Field& required(std::string_view name, T& member, const SomeCheck& check, std::string_view help) {
    return add(name, member, true, checks_for<T>(check), help);
  }
  template <typename T>
  Field& optional(std::string_view name, T& member, std::string_view help) {
    return add(name, member, false, {}, help);
  }
  template <typename T, typename SomeCheck>
  Field& optional(std::string_view name, T& member, const SomeCheck& check, std::string_view help) {
    return add(name, member, false, checks_for<T>(check), help);
  }

  void check(std::string_view field, std::function<bool()> holds, std::string_view text) {
    relations_.push_back({std::string(field), std::move(holds), std::string(text)});
  }

  const std::vector<Field>& list() const { return list_; }
  const std::vector<Relation>& relations() const { return relations_; }
  const Field* find(std::string_view name) const;
  std::vector<std::string> names() const;

 private:
  template <typename T>
  Field& add(
      std::string_view name, T& member, bool is_required, Checks checks, std::string_view help) {
    return list_.emplace_back(Field{std::string(name), &type_of<T>(), &member, is_required,
                                    std::move(checks), std::string(help)});
  }

  template <typename T>
  static Checks checks_for(const Check& limits) {
    return {.limits = limits};
  }
  template <typename T>
  static Checks checks_for(const OneOf& one_of) {
    return {.one_of = one_of.values};
  }
  template <typename T, typename Predicate>
  static Checks checks_for(const Rule<Predicate>& rule) {
    auto holds = [test = rule.holds](const void* value) -> bool {
      const T& typed = *static_cast<const T*>(value);
      if constexpr (requires { test(typed); }) {
        return test(typed);
      } else {
        return !typed || test(*typed);  // an absent std::optional satisfies every rule
      }
    };
    return {.rule = rule.text, .holds = std::move(holds)};
  }

  std::vector<Field> list_;
  std::vector<Relation> relations_;
};

/// Returns the fields of an object whose type is a table.
Fields fields_of(const Type& type, void* object);

}  // namespace meshwright::config
