// SPDX-License-Identifier: Apache-2.0
// Runtime descriptions of C++ types for the reader, the writer, the schema and the docs.
// type_of<T>() (type_of.h) makes one per type. A `void*` here points to an object of the described
// type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::config {

class Fields;
struct Type;
using TypeRef = const Type& (*)();  // a function, so that types may contain themselves

enum class Kind { boolean, integer, number, text, choice, optional, list, map, table, variant };

struct IntegerOps {
  std::int64_t (*get)(const void*);
  void (*set)(void*, std::int64_t);
  std::int64_t min;
  std::int64_t max;
};
struct NumberOps {
  double (*get)(const void*);
  void (*set)(void*, double);
};
struct TextOps {
  std::string (*get)(const void*);
  void (*set)(void*, const std::string&);  // throws Error if malformed
  std::string_view what;                   // "a string", "a regular expression"
};
struct ChoiceOps {
  std::vector<std::string> names;
  std::size_t (*get)(const void*);  // an index into names
  void (*set)(void*, std::size_t);
};
struct OptionalOps {
  std::string_view absent;  // the word that means no value
  void* (*find)(void*);     // the value, or null
  void* (*emplace)(void*);  // a new value
  void (*reset)(void*);
  bool takes_infinity;  // inf also means no value
};
struct ListOps {
  std::size_t (*size)(const void*);
  void* (*at)(void*, std::size_t);
  void* (*append)(void*);
  void (*clear)(void*);
  bool takes_single;  // a single element may stand for a list of one
};
struct MapOps {
  void (*visit)(void*, const std::function<void(const std::string&, void*)>&);
  // returns the value of the key, creating it if necessary
  void* (*insert)(void*, const std::string&);
  void (*clear)(void*);
};
struct TableOps {
  void (*fields)(void*, Fields&);
};
struct Alternative {
  std::string_view tag;  // the `type` of a table; empty for others
  TypeRef type;
};
struct VariantOps {
  std::vector<Alternative> alternatives;
  std::size_t (*index)(const void*);
  void* (*held)(void*);
  void* (*emplace)(void*, std::size_t);
};

/// Only the operations of its kind are set.
struct Type {
  Kind kind;
  std::shared_ptr<void> (*create)();
  TypeRef element = nullptr;  // element type of optional, list, map
  IntegerOps integer = {};
  NumberOps number = {};
  TextOps text = {};
  ChoiceOps choice = {};
  OptionalOps optional = {};
  ListOps list = {};
  MapOps map = {};
  TableOps table = {};
  VariantOps variant = {};
};

/// Describes the values of a type: "a whole number", "one of 'max', 'min'", "a list of strings".
std::string type_text(const Type& type);

}  // namespace meshwright::config
