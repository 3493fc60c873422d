// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/module.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/nearest.h"

namespace meshwright::nn {

Module::Module(Module* parent, std::string name, AxisSizes dims)
    : parent_(parent), name_(std::move(name)), dims_(std::move(dims)) {
  MW_CHECK(parent != nullptr, "module '", name_, "': the parent is null");
  if (!name_.empty()) parent->check_name(name_);
  parent->parts_.push_back(this);
}

void Module::check_name(std::string_view name) const {
  MW_CHECK(!name.empty() && name.find('/') == name.npos, "module '", path(), "': '", name,
           "' is not a valid name");
  auto same = [&](const auto& entry) { return entry->name == name; };
  auto same_part = [&](const Module* part) { return part->name_ == name; };
  MW_CHECK(std::none_of(params_.begin(), params_.end(), same) &&
               std::none_of(parts_.begin(), parts_.end(), same_part),
           "module '", path(), "' uses the name '", name, "' twice");
}

std::string Module::path() const {
  if (parent_ == nullptr) return "";
  std::string above = parent_->path();
  return name_.empty() ? above : join_tree_path(above, name_);
}

std::optional<std::int64_t> Module::find_size(std::string_view axis) const {
  for (const Module* at = this; at != nullptr; at = at->parent_) {
    auto found = at->dims_.find(axis);
    if (found != at->dims_.end()) return found->second;
  }
  return std::nullopt;
}

std::int64_t Module::size(std::string_view axis) const {
  if (std::optional<std::int64_t> found = find_size(axis)) return *found;
  std::vector<std::string> known;
  for (const auto& [name, size] : dims())
    known.push_back(name);
  fail(ErrorCode::invalid_argument, "module '", path(), "': axis '", axis, "' has no size",
       did_you_mean(axis, known));
}

AxisSizes Module::dims() const {
  AxisSizes out = dims_;
  for (const Module* at = parent_; at != nullptr; at = at->parent_)
    out.insert(at->dims_.begin(), at->dims_.end());
  return out;
}

DType Module::param_dtype() const {
  for (const Module* at = this; at != nullptr; at = at->parent_) {
    if (at->param_dtype_) return *at->param_dtype_;
  }
  return f32;
}

std::vector<std::string> Module::stack_axes() const {
  std::vector<std::string> out;
  for (const Module* at = this; at != nullptr; at = at->parent_) {
    if (!at->stack_axis().empty()) out.insert(out.begin(), at->stack_axis());
  }
  return out;
}

Param Module::param(std::string name, AxisSpec axes, Init init, ParamOptions options) {
  check_name(name);
  std::vector<std::string> own;
  for (std::string_view axis : axes.names())
    own.emplace_back(axis);
  params_.push_back(std::make_unique<ParamInfo>(
      ParamInfo{this, std::move(name), std::move(own), std::move(init), std::move(options)}));
  return Param(params_.back().get());
}

namespace {

void walk(const Module& module,
          const std::string& path,
          const std::function<void(const std::string&, const ParamInfo&)>& f) {
  for (const auto& info : module.params())
    f(join_tree_path(path, info->name), *info);
  for (const Module* part : module.parts())
    walk(*part, part->name().empty() ? path : join_tree_path(path, part->name()), f);
}

ParamSpec spec_of(const std::string& path, const ParamInfo& info, const AxisSizes& dims) {
  auto size = [&](const std::string& axis) {
    std::optional<std::int64_t> own = info.module->find_size(axis);
    if (own) return *own;
    auto found = dims.find(axis);
    return found != dims.end() ? found->second : info.module->size(axis);
  };
  ParamSpec spec;
  spec.axes = info.module->stack_axes();
  spec.num_stacked_dims = static_cast<int>(spec.axes.size());
  spec.axes.insert(spec.axes.end(), info.axes.begin(), info.axes.end());
  spec.type.dtype = info.options.dtype.value_or(info.module->param_dtype());
  for (const std::string& axis : spec.axes)
    spec.type.dims.push_back(size(axis));
  spec.mesh_axes = info.options.mesh_axes;
  spec.weight_decay_scale = info.options.is_state ? 0.0 : info.options.weight_decay_scale;
  MW_CHECK(
      info.options.factorization.empty() || info.options.factorization.size() == info.axes.size(),
      "parameter '", path, "' has ", info.axes.size(), " axes, but factorization roles for ",
      info.options.factorization.size());
  if (!info.options.factorization.empty()) {
    spec.factorization.assign(static_cast<std::size_t>(spec.num_stacked_dims), FactorRole::none);
    spec.factorization.insert(spec.factorization.end(), info.options.factorization.begin(),
                              info.options.factorization.end());
  }
  return spec;
}

}  // namespace

void for_each_param(const Module& module,
                    const std::function<void(const std::string& path, const ParamInfo&)>& f) {
  walk(module, "", f);
}

ParamSpecs param_specs(const Module& module, const AxisSizes& dims) {
  ParamSpecs out;
  for_each_param(module, [&](const std::string& path, const ParamInfo& info) {
    Tree<ParamSpec>& entry = out[path];
    MW_CHECK(!entry.is_leaf() && entry.children().empty(), "two parameters are named '", path, "'");
    entry = spec_of(path, info, dims);
  });
  return out;
}

std::int64_t num_params(const ParamSpecs& specs) {
  std::int64_t sum = 0;
  for_each(specs, [&](const ParamSpec& spec) { sum += num_elements(spec.type.dims); });
  return sum;
}

}  // namespace meshwright::nn
