// SPDX-License-Identifier: Apache-2.0
// Trees of named values: parameters, gradients, optimizer slots, checkpoints, states. Children are
// ordered by name, so trees with the same names also have the same order.
#pragma once

#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "meshwright/base/check.h"

namespace meshwright {

inline constexpr std::size_t kMaxTreeDepth = 128;
/// Splits "decoder/layers/w_q" into its components. Throws invalid_argument for an empty component,
/// and for more than kMaxTreeDepth components, since functions on trees recurse once per level.
std::vector<std::string_view> split_tree_path(std::string_view path);
/// Joins "decoder" and "w_q" into "decoder/w_q". Returns `name` if `path` is empty.
std::string join_tree_path(std::string_view path, std::string_view name);
/// Throws not_found for `path`, naming the `children` of its deepest existing node, `parent`.
[[noreturn]] void fail_no_such_entry(std::string_view path,
                                     std::string_view parent,
                                     const std::vector<std::string>& children);
/// Throws invalid_argument with all differences, one per line.
[[noreturn]] void fail_trees_differ(std::string_view first,
                                    std::string_view second,
                                    const std::vector<std::string>& differences);

/// A leaf with a value, or a node with zero or more named children.
template <typename T>
class Tree {
 public:
  // A map of an incomplete type is not standard C++, but libstdc++ and libc++ allow it.
  using Children = std::map<std::string, Tree, std::less<>>;

  Tree() = default;
  Tree(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor): a leaf

  bool is_leaf() const { return value_.has_value(); }
  /// Throws invalid_argument if this is not a leaf.
  const T& value() const {
    MW_CHECK(is_leaf(), "tree: a node with ", children_.size(), " children has no value");
    return *value_;
  }
  T& value() { return const_cast<T&>(std::as_const(*this).value()); }
  /// Returns an empty map for a leaf.
  const Children& children() const { return children_; }

  /// Returns the node at "decoder/w_q" below this one, creating it and its parents as needed.
  /// Throws invalid_argument if a leaf blocks the path.
  Tree& operator[](std::string_view path) {
    Tree* at = this;
    for (std::string_view name : split_tree_path(path)) {
      MW_CHECK(!at->is_leaf(), "tree: cannot create '", path, "': the parent of '", name,
               "' is a leaf");
      auto found = at->children_.find(name);
      if (found == at->children_.end()) {
        found = at->children_.emplace(std::string(name), Tree()).first;
      }
      at = &found->second;
    }
    return *at;
  }

  /// Returns nullptr if there is no such node.
  const Tree* find(std::string_view path) const { return walk(path, nullptr); }
  /// Throws not_found, suggesting the nearest name, if there is no such node.
  const Tree& at(std::string_view path) const {
    std::string parent;
    if (const Tree* found = walk(path, &parent)) return *found;
    const Tree& last = parent.empty() ? *this : *walk(parent, nullptr);
    std::vector<std::string> names;
    for (const auto& [name, child] : last.children_)
      names.push_back(name);
    fail_no_such_entry(path, parent, names);
  }
  Tree& at(std::string_view path) { return const_cast<Tree&>(std::as_const(*this).at(path)); }

  std::size_t num_leaves() const {
    std::size_t sum = is_leaf() ? 1 : 0;
    for (const auto& [name, child] : children_)
      sum += child.num_leaves();
    return sum;
  }

  /// True if names and values are equal.
  bool operator==(const Tree& other) const requires std::equality_comparable<T> {
    return value_ == other.value_ && children_ == other.children_;
  }

 private:
  template <typename>
  friend class Tree;

  // Sets `*reached` to the path of the deepest existing node.
  const Tree* walk(std::string_view path, std::string* reached) const {
    const Tree* at = this;
    for (std::string_view name : split_tree_path(path)) {
      auto found = at->children_.find(name);
      if (found == at->children_.end()) return nullptr;
      at = &found->second;
      if (reached != nullptr) *reached = join_tree_path(*reached, name);
    }
    return at;
  }

  std::optional<T> value_;
  Children children_;
};

template <typename F, typename T>
concept LeafFunction =
    std::invocable<const F&, const std::string&, const T&> || std::invocable<const F&, const T&>;

/// Calls f(path, value) or f(value), whichever `f` accepts.
template <typename F, typename T>
requires LeafFunction<F, T>
decltype(auto) call_with_leaf(const F& f, const std::string& path, const T& value) {
  if constexpr (std::invocable<const F&, const std::string&, const T&>) {
    return f(path, value);
  } else {
    return f(value);
  }
}

/// Calls f(path, value) or f(value) for every leaf, in order.
template <typename T, typename F>
void for_each(const Tree<T>& tree, const F& f, const std::string& path = "") {
  if (tree.is_leaf()) call_with_leaf(f, path, tree.value());
  for (const auto& [name, child] : tree.children())
    for_each(child, f, join_tree_path(path, name));
}

/// Returns the values in order.
template <typename T>
std::vector<T> leaves(const Tree<T>& tree) {
  std::vector<T> out;
  for_each(tree, [&](const T& value) { out.push_back(value); });
  return out;
}

/// Convert between a tree and its paths and values, in order.
template <typename T>
std::vector<std::pair<std::string, T>> flatten(const Tree<T>& tree) {
  std::vector<std::pair<std::string, T>> out;
  for_each(tree, [&](const std::string& path, const T& value) { out.emplace_back(path, value); });
  return out;
}
template <typename T>
Tree<T> unflatten(const std::vector<std::pair<std::string, T>>& entries) {
  Tree<T> out;
  for (const auto& [path, value] : entries) {
    Tree<T>& entry = out[path];
    MW_CHECK(!entry.is_leaf() && entry.children().empty(), "tree: '", path, "' appears twice");
    entry = value;
  }
  return out;
}

/// Returns the differences between two trees, one line per place; empty if they match. `compare(a,
/// b)` describes how two leaves differ ("f32[8] and f32[4]"), or returns "" if they do not.
template <typename A, typename B, typename Compare>
std::vector<std::string> differences(const Tree<A>& a,
                                     const Tree<B>& b,
                                     const Compare& compare,
                                     std::string_view first = "the first",
                                     std::string_view second = "the second",
                                     const std::string& path = "") {
  std::string here = path.empty() ? "the root" : str("'", path, "'");
  if (a.is_leaf() != b.is_leaf()) {
    return {str(here, " is a leaf in ", a.is_leaf() ? first : second, " only")};
  }
  if (a.is_leaf()) {
    std::string text = compare(a.value(), b.value());
    return text.empty() ? std::vector<std::string>() : std::vector{str(here, ": ", text)};
  }
  std::vector<std::string> out;
  for (const auto& [name, child] : a.children()) {
    std::string below = join_tree_path(path, name);
    auto other = b.children().find(name);
    if (other == b.children().end()) {
      out.push_back(str("'", below, "' is in ", first, " only"));
      continue;
    }
    for (std::string& line : differences(child, other->second, compare, first, second, below))
      out.push_back(std::move(line));
  }
  for (const auto& [name, child] : b.children()) {
    if (!a.children().contains(name)) {
      out.push_back(str("'", join_tree_path(path, name), "' is in ", second, " only"));
    }
  }
  return out;
}

/// Throws invalid_argument with all differences unless both trees have the same names.
template <typename A, typename B>
void check_same_structure(const Tree<A>& a,
                          const Tree<B>& b,
                          std::string_view first = "the first",
                          std::string_view second = "the second") {
  auto no_comparison = [](const A&, const B&) { return std::string(); };
  std::vector<std::string> found = differences(a, b, no_comparison, first, second);
  if (!found.empty()) fail_trees_differ(first, second, found);
}

/// Returns a tree of the same structure with f(value), or f(path, value), at each leaf.
template <typename T,
          typename F,
          typename Result = std::decay_t<
              decltype(call_with_leaf(std::declval<F>(), std::string(), std::declval<T>()))>>
Tree<Result> map(const Tree<T>& tree, const F& f, const std::string& path = "") {
  Tree<Result> out;
  if (tree.is_leaf()) out = Tree<Result>(call_with_leaf(f, path, tree.value()));
  for (const auto& [name, child] : tree.children())
    out[name] = map(child, f, join_tree_path(path, name));
  return out;
}

/// Returns a tree of the same structure with these values, in order. Throws invalid_argument unless
/// there is one value per leaf.
template <typename U, typename T>
Tree<U> with_leaves(const Tree<T>& tree, const std::vector<U>& values) {
  MW_CHECK(values.size() == tree.num_leaves(), "tree: ", values.size(), " values for ",
           tree.num_leaves(), " leaves");
  std::size_t next = 0;
  return map(tree, [&](const T&) { return values[next++]; });
}

/// Returns a tree of the same structure with f(value of a, value of b) at each leaf. Throws
/// invalid_argument if the names differ.
template <typename A, typename B, typename F>
auto map(const Tree<A>& a, const Tree<B>& b, const F& f) {
  check_same_structure(a, b);
  std::vector<B> others = leaves(b);
  std::size_t next = 0;
  return map(a, [&](const A& value) { return f(value, others[next++]); });
}
template <typename A, typename B, typename C, typename F>
auto map(const Tree<A>& a, const Tree<B>& b, const Tree<C>& c, const F& f) {
  check_same_structure(a, c, "the first", "the third");
  std::vector<C> others = leaves(c);
  std::size_t next = 0;
  return map(a, b, [&](const A& x, const B& y) { return f(x, y, others[next++]); });
}

}  // namespace meshwright
