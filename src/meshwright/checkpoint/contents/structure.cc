// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/contents/structure.h"

#include <algorithm>
#include <array>
#include <utility>

#include "meshwright/base/tree.h"

namespace meshwright::checkpoint {
namespace {

constexpr std::array<std::pair<EmptyNode, std::string_view>, 4> kEmptyNames = {{
    {EmptyNode::none, "none"},
    {EmptyNode::map, "map"},
    {EmptyNode::list, "list"},
    {EmptyNode::tuple, "tuple"},
}};

}  // namespace

std::string_view name_of(EmptyNode node) {
  const auto node_of = [](const auto& entry) { return entry.first; };
  return std::ranges::find(kEmptyNames, node, node_of)->second;
}

std::optional<EmptyNode> find_empty_node(std::string_view name) {
  for (const auto& [node, text] : kEmptyNames)
    if (text == name) return node;
  return std::nullopt;
}

std::string add_member(Structure& structure, const std::string& parent, const std::string& name) {
  std::string out = join_tree_path(parent, name);
  if (out.size() > kMaxPathBytes) return out;  // its array will be refused
  const std::size_t begin = out.size() - name.size();
  for (std::size_t at = name.find('/'); at != name.npos; at = name.find('/', at + 1))
    structure.slashes.insert(out.substr(0, begin + at));
  return out;
}

std::vector<std::string> member_names(const Structure& structure, std::string_view path) {
  std::vector<std::string> out;
  bool continues = false;  // the last name
  for (const std::string_view part : split_tree_path(path)) {
    if (continues) {
      out.back() += str("/", part);
    } else {
      out.emplace_back(part);
    }
    const auto end = static_cast<std::size_t>(part.data() + part.size() - path.data());
    continues = structure.slashes.contains(std::string(path.substr(0, end)));
  }
  return out;
}

Structure renamed(
    const Structure& structure,
    const std::function<std::optional<std::string>(const std::string& path)>& rename) {
  Structure out;
  for (const auto& [path, node] : structure.empty)
    if (const auto name = rename(path)) out.empty.emplace(*name, node);
  for (const auto& [path, text] : structure.texts)
    if (const auto name = rename(path)) out.texts.emplace(*name, text);
  for (const std::string& path : structure.lists)
    if (const auto name = rename(path)) out.lists.insert(*name);
  for (const std::string& path : structure.slashes)
    if (const auto name = rename(path)) out.slashes.insert(*name);
  return out;
}

void merge(Structure& into, const Structure& from) {
  into.empty.insert(from.empty.begin(), from.empty.end());
  into.texts.insert(from.texts.begin(), from.texts.end());
  into.lists.insert(from.lists.begin(), from.lists.end());
  into.slashes.insert(from.slashes.begin(), from.slashes.end());
}

}  // namespace meshwright::checkpoint
