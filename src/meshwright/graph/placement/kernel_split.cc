// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/placement/kernel_split.h"

#include <algorithm>
#include <map>

#include "meshwright/base/check.h"
#include "meshwright/mesh/device_groups.h"
#include "meshwright/tensor/axis_spec.h"

namespace meshwright::graph {
namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

class Splitter {
 public:
  Splitter(const Node& node, const KernelAxes& axes, const SplitSetting& setting)
      : node_(node), mesh_(setting.mesh), available_(setting.available), axes_(axes) {
    arrays_ = named(axes_.operands, node.num_operands(), "operands");
    results_ = named(axes_.results, node.num_results(), "results");
    for (int i = 0; i < node.num_operands(); ++i)
      check_rank(arrays_[static_cast<std::size_t>(i)], node.in(i));
    for (int i = 0; i < node.num_results(); ++i)
      check_rank(results_[static_cast<std::size_t>(i)], node.out(i));
  }

  void split_by_rules(const mesh::AxisRules& rules) {
    std::vector<Names> all = arrays_;
    all.insert(all.end(), results_.begin(), results_.end());  // may have additional axes
    for (const Names& array : all) {
      for (const std::string& name : array) {
        const mesh::AxisRule* rule = rules.find(name);
        if (rule != nullptr && !split_.contains(name)) assign(name, rule->mesh_axes);
      }
    }
  }

  // Program arguments have valid shardings, and the arrays share no axes.
  void split_as_arguments(const std::vector<const mesh::Sharding*>& known) {
    for (int operand : axes_.as_arguments) {
      const auto at = static_cast<std::size_t>(operand);
      for (std::size_t d = 0; d < std::min(arrays_[at].size(), known[at]->dims.size()); ++d) {
        used_ = {};
        assign(arrays_[at][d], known[at]->dims[d]);
      }
    }
  }

  // If two operands disagree, the first one wins and the other is resharded.
  void split_as_known(const std::vector<const mesh::Sharding*>& known) {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      if (known[i] == nullptr) continue;
      for (std::size_t d = 0; d < std::min(arrays_[i].size(), known[i]->dims.size()); ++d) {
        const Names& mesh_axes = known[i]->dims[d];
        bool is_free = std::ranges::none_of(mesh_axes, [&](const std::string& axis) {
          return used_.contains(mesh_.axis_index(axis));
        });
        if (is_free && !split_.contains(arrays_[i][d])) assign(arrays_[i][d], mesh_axes);
      }
    }
  }

  KernelSplit finish() const {
    KernelSplit out;
    out.obstacle = obstacle();
    if (!out.obstacle.empty()) return out;
    for (const Names& array : arrays_)
      out.operands.push_back(sharding(array));
    for (const Names& array : results_) {
      out.results.push_back(sharding(array));
      out.summed.push_back(summed_over(array));
    }
    return out;
  }

 private:
  std::vector<Names> named(const Names& texts, int count, std::string_view what) const {
    if (std::ssize(texts) != count)
      fail(ErrorCode::internal, node_.op->name, ": has axes for ", texts.size(), " ", what,
           ", expected ", count);
    std::vector<Names> out;
    for (const std::string& text : texts) {
      std::vector<std::string_view> names = AxisSpec::parse(text).names();
      out.emplace_back(names.begin(), names.end());
    }
    return out;
  }

  void check_rank(const Names& names, const Type& type) const {
    if (std::ssize(names) != type.rank())
      fail(ErrorCode::internal, node_.op->name, ": axes '", join(names, " "), "' do not match ",
           type.array());
  }

  bool has_arrays_of_their_own() const { return !axes_.as_arguments.empty(); }

  mesh::AxisSet summed_over(const Names& result) const {
    mesh::AxisSet out;
    if (has_arrays_of_their_own()) return out;
    for (const auto& [name, mesh_axes] : split_) {
      if (!contains(result, name)) out = out | axis_set(mesh_axes);
    }
    return out;
  }

  mesh::AxisSet axis_set(const Names& mesh_axes) const {
    mesh::AxisSet out;
    for (const std::string& axis : mesh_axes)
      out = out | mesh::AxisSet::of(mesh_.axis_index(axis));
    return out;
  }

  void assign(const std::string& name, const Names& mesh_axes) {
    Names mine;
    for (const std::string& axis : mesh_axes) {
      int position = mesh_.axis_index(axis);
      if (!available_.contains(position) || mesh_.axis_size(axis) == 1) continue;
      if (used_.contains(position) && clash_.empty())
        clash_ = str("mesh axis '", axis, "' splits both '", name, "' and another axis");
      used_ = used_ | mesh::AxisSet::of(position);
      mine.push_back(axis);
    }
    if (!mine.empty()) split_.emplace(name, std::move(mine));
  }

  std::int64_t num_shards_along(const std::string& name) const {
    auto found = split_.find(name);
    std::int64_t parts = 1;
    if (found != split_.end()) {
      for (const std::string& axis : found->second)
        parts *= mesh_.axis_size(axis);
    }
    return parts;
  }

  mesh::Sharding sharding(const Names& array) const {
    mesh::Sharding out;
    for (const std::string& name : array) {
      auto found = split_.find(name);
      out.dims.push_back(found == split_.end() ? Names() : found->second);
    }
    return out;
  }

  std::string obstacle() const {
    if (!clash_.empty()) return clash_;
    for (const auto& [name, mesh_axes] : split_) {
      if (must_be_whole(name))
        return str("axis '", name, "' is split by mesh axes ", join(mesh_axes, ","),
                   ", but each call needs the whole axis");
    }
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      for (std::size_t d = 0; d < arrays_[i].size(); ++d) {
        std::int64_t size = node_.in(static_cast<int>(i)).dims[d];
        std::int64_t parts = num_shards_along(arrays_[i][d]);
        if (size % parts != 0)
          return str("axis '", arrays_[i][d], "' of size ", size, " is not divisible into ", parts,
                     " parts");
      }
    }
    return {};
  }

  bool must_be_whole(const std::string& name) const {
    if (contains(axes_.whole, name)) return true;
    if (contains(axes_.summed, name) || has_arrays_of_their_own()) return false;
    return std::ranges::any_of(results_,
                               [&](const Names& array) { return !contains(array, name); });
  }

  const Node& node_;
  const mesh::Mesh& mesh_;
  const mesh::AxisSet available_;
  const KernelAxes& axes_;
  std::vector<Names> arrays_, results_;  // the axes of each operand and result
  std::map<std::string, Names> split_;   // mesh axes by axis
  mesh::AxisSet used_;
  std::string clash_;
};

}  // namespace

KernelSplit split_kernel(const Node& node, const KernelAxes& axes, const SplitSetting& setting) {
  Splitter splitter(node, axes, setting);
  for (int operand : axes.as_arguments) {
    if (setting.known[static_cast<std::size_t>(operand)] == nullptr)
      return {.obstacle = str("the sharding of operand ", operand, " is unknown")};
  }
  if (axes.as_arguments.empty()) {
    splitter.split_by_rules(setting.rules);
    splitter.split_as_known(setting.known);
  } else {
    splitter.split_as_arguments(setting.known);
  }
  return splitter.finish();
}

}  // namespace meshwright::graph
