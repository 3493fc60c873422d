// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/initial_values.h"

#include "meshwright/base/check.h"
#include "meshwright/graph/tracer.h"

namespace meshwright::nn {
namespace {

using graph::random::Key;

class Initialiser {
 public:
  Initialiser(const ParamSpecs& specs, const InitOptions& options)
      : specs_(specs), options_(options) {}

  void walk(const Module& module, const std::string& path, const Key& key) {
    for (const auto& info : module.params())
      draw(*info, join_tree_path(path, info->name), named(key, info->name));
    Key below = options_.layers_have_keys ? layer_keys(module, key) : key;
    for (const Module* part : module.parts()) {
      bool is_named = !part->name().empty();
      walk(*part, is_named ? join_tree_path(path, part->name()) : path,
           is_named ? named(below, part->name()) : below);
    }
  }

  ValueTree take() { return std::move(values_); }

 private:
  Key named(const Key& key, const std::string& name) const {
    return fold_in(key, name, options_.hash);
  }

  Key layer_keys(const Module& module, const Key& key) const {
    std::string axis = module.stack_axis();
    if (axis.empty()) return key;
    auto given = options_.dims.find(axis);
    std::optional<std::int64_t> known = module.find_size(axis);
    std::int64_t size = known || given == options_.dims.end() ? module.size(axis) : given->second;
    return split_batch(key, {size});
  }

  void draw(const ParamInfo& info, const std::string& path, const Key& key) {
    graph::ModuleScope scope(path);
    const ParamSpec& spec = specs_.at(path).value();
    std::size_t skipped = key.dims().size();  // dimensions that the batch of keys has already
    InitShape shape{
        Dims(spec.type.dims.begin() + static_cast<std::ptrdiff_t>(skipped), spec.type.dims.end()),
        spec.type.dtype,
        {spec.axes.begin() + static_cast<std::ptrdiff_t>(skipped), spec.axes.end()}};
    Value value = init_of(info, path)(key, shape);
    MW_CHECK(value.type() == spec.type, "parameter '", path, "' is ", spec.type,
             ", its initialiser gives ", value);
    values_[path] = value;
  }

  const Init& init_of(const ParamInfo& info, const std::string& path) const {
    for (const InitRule& rule : options_.rules) {
      if (rule.pattern.matches(path)) return rule.init;
    }
    return info.init;
  }

  const ParamSpecs& specs_;
  const InitOptions& options_;
  ValueTree values_;
};

}  // namespace

ValueTree initial_values(const Module& module, const Key& key, const InitOptions& options) {
  ParamSpecs specs = param_specs(module, options.dims);
  Initialiser initialiser(specs, options);
  initialiser.walk(module, "", key);
  return initialiser.take();
}

}  // namespace meshwright::nn
