// SPDX-License-Identifier: Apache-2.0
// Members of a checkpoint's tree that have no array. Other programs restore into trees of their own
// and refuse a checkpoint whose tree differs in an empty list.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::checkpoint {

/// Longer paths are refused as damage.
inline constexpr std::size_t kMaxPathBytes = 4096;

/// A member without content: nothing, or a container without members.
enum class EmptyNode { none, map, list, tuple };

/// Returns "none", "map", ...
std::string_view name_of(EmptyNode node);
std::optional<EmptyNode> find_empty_node(std::string_view name);

/// Containers that cannot store it leave it out.
struct Structure {
  std::map<std::string, EmptyNode> empty;    // by path
  std::map<std::string, std::string> texts;  // by path
  /// Branches whose members are those of a list: 0, 1, ...
  std::set<std::string> lists;
  /// Paths before a slash that belongs to a name: of the name "mlp/~/linear", "mlp" and "mlp/~".
  std::set<std::string> slashes;

  bool operator==(const Structure&) const = default;
  bool is_plain() const {
    return empty.empty() && texts.empty() && lists.empty() && slashes.empty();
  }
};

/// Returns the path of a member below `parent`, and notes the slashes in its name.
std::string add_member(Structure& structure, const std::string& parent, const std::string& name);

/// Returns the names of members along a path, which may contain slashes.
std::vector<std::string> member_names(const Structure& structure, std::string_view path);

/// Calls `rename` with every path, and leaves out what it returns nullopt for.
Structure renamed(const Structure& structure,
                  const std::function<std::optional<std::string>(const std::string& path)>& rename);

/// Adds the members of another tree.
void merge(Structure& into, const Structure& from);

}  // namespace meshwright::checkpoint
