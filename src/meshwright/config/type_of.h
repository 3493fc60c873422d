// SPDX-License-Identifier: Apache-2.0
// type_of<T>() for every type that a config struct may contain:
//   bool, integers, float, double, std::string
//   enums            config_choices(E), next to the enum, returns the names: see Choices. Also
//                    works for classes with a default constructor and ==
//   std::optional    the word "none" means no value
//   OrAuto<T>        a T, or the word "auto"
//   OrEndless<T>     like OrAuto, but inf also means "auto"
//   std::vector      OneOrMore<T>: a vector that may be written as a single T
//   std::map<std::string, T>; InOrder<T>: like a map, but in the order of the file
//   structs          with a member `void fields(auto& f)`
//   std::variant     of structs with `static constexpr char kType[] = "adamw";`. The key `type`
//                    selects one. Other alternatives, such as a number, are selected by the kind
//                    of the value. A struct may derive from a variant and contain itself in lists
//   Text<T>          any type written as a string; specialise Text for it
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/config/fields.h"

namespace meshwright::config {

/// Names of the values of an enum. Define config_choices() next to the enum, in the same namespace:
///   inline config::Choices<Mode> config_choices(Mode) { return {{"max", Mode::max}, ...}; }
template <typename Enum>
using Choices = std::vector<std::pair<std::string, Enum>>;

/// A value, or "auto": the program chooses. If absent from a config, the struct's default applies.
template <typename T>
struct OrAuto : std::optional<T> {
  using std::optional<T>::optional;
  bool is_auto() const { return !this->has_value(); }
  friend bool operator==(const OrAuto& a, const OrAuto& b) {
    return static_cast<const std::optional<T>&>(a) == static_cast<const std::optional<T>&>(b);
  }
};

/// An end point, or "auto": no limit. Python configs write inf for no limit.
template <typename T>
struct OrEndless : OrAuto<T> {
  using OrAuto<T>::OrAuto;
};

template <typename T>
struct OneOrMore : std::vector<T> {
  using std::vector<T>::vector;
};

/// Named values whose order matters, such as mesh axes.
template <typename T>
struct InOrder : std::vector<std::pair<std::string, T>> {
  using std::vector<std::pair<std::string, T>>::vector;
};

/// For types that are written as strings. A specialisation has kWhat ("a regular expression"),
/// parse(const std::string&), which throws Error if the text is malformed, and print(const T&).
template <typename T>
struct Text;

template <>
struct Text<std::string> {
  static constexpr std::string_view kWhat = "a string";
  static std::string parse(const std::string& text) { return text; }
  static std::string print(const std::string& value) { return value; }
};

namespace detail {

template <typename T>
T& as(void* object) {
  return *static_cast<T*>(object);
}
template <typename T>
const T& as(const void* object) {
  return *static_cast<const T*>(object);
}

template <typename T>
Type base_type(Kind kind) {
  return {.kind = kind,
          .create = [] { return std::static_pointer_cast<void>(std::make_shared<T>(T{})); }};
}

// The standard template that T is or derives from.
template <typename T>
std::optional<T> optional_base(const std::optional<T>*);
template <typename T>
std::vector<T> list_base(const std::vector<T>*);
template <typename T>
std::map<std::string, T> map_base(const std::map<std::string, T>*);
template <typename T>
T in_order_element(const InOrder<T>*);
template <typename... Ts>
std::variant<Ts...> variant_base(const std::variant<Ts...>*);

template <typename T>
concept Optional = requires(T* value) {
  optional_base(value);
};
template <typename T>
concept Ordered = requires(T* value) {
  in_order_element(value);
};
template <typename T>
concept List = !Ordered<T> && requires(T * value) {
  list_base(value);
};
template <typename T>
concept Map = requires(T* value) {
  map_base(value);
};
template <typename T>
concept Variant = requires(T* value) {
  variant_base(value);
};
template <typename T>
concept Struct = requires(T& value, Fields& fields) {
  value.fields(fields);
};
template <typename T>
concept Textual = requires(const T& value) {
  Text<T>::print(value);
};
template <typename T>
concept Enum = std::is_enum_v<T> || requires(T value) {
  config_choices(value);
};

template <typename T>
constexpr std::string_view absent_word(const std::optional<T>*) {
  return "none";
}
template <typename T>
constexpr std::string_view absent_word(const OrAuto<T>*) {
  return "auto";
}
template <typename T>
constexpr bool takes_infinity(const std::optional<T>*) {
  return false;
}
template <typename T>
constexpr bool takes_infinity(const OrEndless<T>*) {
  return true;
}
template <typename T>
constexpr bool takes_single(const std::vector<T>*) {
  return false;
}
template <typename T>
constexpr bool takes_single(const OneOrMore<T>*) {
  return true;
}

template <typename T>
requires std::same_as<T, bool> Type make_type() {
  return base_type<T>(Kind::boolean);
}

template <std::integral T>
requires(!std::same_as<T, bool>) Type make_type() {
  Type type = base_type<T>(Kind::integer);
  constexpr bool is_unsigned_64 =
      std::same_as<std::make_unsigned_t<T>, std::uint64_t> && std::unsigned_integral<T>;
  using Limits = std::numeric_limits<T>;
  type.integer = {
      .get =
          [](const void* object) {
            const T value = as<T>(object);
            if (is_unsigned_64 && static_cast<std::int64_t>(value) < 0)
              fail(ErrorCode::invalid_argument, value, " is too large for TOML");
            return static_cast<std::int64_t>(value);
          },
      .set = [](void* object, std::int64_t value) { as<T>(object) = static_cast<T>(value); },
      .min = static_cast<std::int64_t>(Limits::min()),
      .max = is_unsigned_64 ? std::numeric_limits<std::int64_t>::max()
                            : static_cast<std::int64_t>(Limits::max())};
  return type;
}

/// Returns the double with the same shortest text: 0.1f becomes 0.1.
double widen(float value);
inline double widen(double value) {
  return value;
}

template <std::floating_point T>
Type make_type() {
  Type type = base_type<T>(Kind::number);
  type.number = {.get = [](const void* object) { return widen(as<T>(object)); },
                 .set = [](void* object, double value) { as<T>(object) = static_cast<T>(value); }};
  return type;
}

template <Textual T>
Type make_type() {
  // Not every such type has a default constructor.
  Type type = {.kind = Kind::text, .create = nullptr};
  type.text = {
      .get = [](const void* object) { return Text<T>::print(as<T>(object)); },
      .set = [](void* object, const std::string& text) { as<T>(object) = Text<T>::parse(text); },
      .what = Text<T>::kWhat};
  return type;
}

template <Enum T>
Type make_type() {
  Type type = base_type<T>(Kind::choice);
  for (const auto& choice : config_choices(T{}))
    type.choice.names.push_back(choice.first);
  type.choice.get = [](const void* object) {
    const auto choices = config_choices(T{});
    std::size_t at = 0;
    while (at < choices.size() && choices[at].second != as<T>(object))
      ++at;
    return at;
  };
  type.choice.set = [](void* object, std::size_t at) {
    as<T>(object) = config_choices(T{}).at(at).second;
  };
  return type;
}

template <Optional T>
Type make_type() {
  using Value = typename T::value_type;
  Type type = base_type<T>(Kind::optional);
  type.element = &type_of<Value>;
  type.optional = {.absent = absent_word(static_cast<const T*>(nullptr)),
                   .find = [](void* object) -> void* {
                     T& value = as<T>(object);
                     return value ? &*value : nullptr;
                   },
                   .emplace = [](void* object) -> void* { return &(as<T>(object).emplace()); },
                   .reset = [](void* object) { as<T>(object).reset(); },
                   .takes_infinity = takes_infinity(static_cast<const T*>(nullptr))};
  return type;
}

template <List T>
Type make_type() {
  using Value = typename T::value_type;
  static_assert(!std::same_as<Value, bool>, "elements of a vector<bool> have no address");
  Type type = base_type<T>(Kind::list);
  type.element = &type_of<Value>;
  type.list = {.size = [](const void* object) { return as<T>(object).size(); },
               .at = [](void* object, std::size_t at) -> void* { return &as<T>(object).at(at); },
               .append = [](void* object) -> void* { return &as<T>(object).emplace_back(); },
               .clear = [](void* object) { as<T>(object).clear(); },
               .takes_single = takes_single(static_cast<const T*>(nullptr))};
  return type;
}

template <Map T>
Type make_type() {
  Type type = base_type<T>(Kind::map);
  type.element = &type_of<typename T::mapped_type>;
  type.map = {
      .visit =
          [](void* object, const std::function<void(const std::string&, void*)>& visit) {
            for (auto& [key, value] : as<T>(object))
              visit(key, &value);
          },
      .insert = [](void* object, const std::string& key) -> void* { return &as<T>(object)[key]; },
      .clear = [](void* object) { as<T>(object).clear(); }};
  return type;
}

template <Ordered T>
Type make_type() {
  Type type = base_type<T>(Kind::map);
  type.element = &type_of<typename T::value_type::second_type>;
  type.map = {
      .visit =
          [](void* object, const std::function<void(const std::string&, void*)>& visit) {
            for (auto& [key, value] : as<T>(object))
              visit(key, &value);
          },
      .insert = [](void* object, const std::string& key) -> void* {
        for (auto& [there, value] : as<T>(object))
          if (there == key) return &value;
        return &as<T>(object).emplace_back(key, typename T::value_type::second_type{}).second;
      },
      .clear = [](void* object) { as<T>(object).clear(); }};
  return type;
}

template <Struct T>
Type make_type() {
  Type type = base_type<T>(Kind::table);
  type.table.fields = [](void* object, Fields& fields) { as<T>(object).fields(fields); };
  return type;
}

template <typename T>
Alternative alternative() {
  if constexpr (requires { T::kType; }) return {T::kType, &type_of<T>};
  return {"", &type_of<T>};
}

template <typename T, typename... Alternatives>
VariantOps variant_ops(std::variant<Alternatives...>*) {
  using Base = std::variant<Alternatives...>;
  return {
      .alternatives = {alternative<Alternatives>()...},
      .index = [](const void* object) { return static_cast<const Base&>(as<T>(object)).index(); },
      .held = [](void* object) -> void* {
        return std::visit([](auto& held) -> void* { return &held; },
                          static_cast<Base&>(as<T>(object)));
      },
      .emplace = [](void* object, std::size_t at) -> void* {
        using Emplace = void* (*)(Base&);
        constexpr Emplace kEmplace[] = {
            [](Base& base) -> void* { return &base.template emplace<Alternatives>(); }...};
        return kEmplace[at](as<T>(object));
      }};
}

template <Variant T>
Type make_type() {
  Type type = base_type<T>(Kind::variant);
  type.variant =
      variant_ops<T>(static_cast<decltype(variant_base(static_cast<T*>(nullptr)))*>(nullptr));
  return type;
}

}  // namespace detail

template <typename T>
const Type& type_of() {
  static const Type type = detail::make_type<T>();
  return type;
}

}  // namespace meshwright::config
