// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/initial_values.h"

#include <algorithm>
#include <set>

#include "meshwright/base/check.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::nn {
namespace {

using graph::random::Key;

// Returns nullptr if no rule matches.
const InitRule* find_rule(const InitRules& rules, const std::string& text) {
  auto matches = [&](const InitRule& rule) { return rule.pattern.matches(text); };
  auto found = std::ranges::find_if(rules, matches);
  return found == rules.end() ? nullptr : &*found;
}

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
    std::size_t skipped = key.dims().size();  // dimensions that the batch of keys provides
    InitShape shape{
        Dims(spec.type.dims.begin() + static_cast<std::ptrdiff_t>(skipped), spec.type.dims.end()),
        spec.type.dtype,
        {spec.axes.begin() + static_cast<std::ptrdiff_t>(skipped), spec.axes.end()},
        info.options.fan_axes};
    Value value = drawn(init_of(info, path), key, shape, path);
    MW_CHECK(value.type() == spec.type, "parameter '", path, "' is ", spec.type,
             ", its initialiser returns ", value);
    values_[path] = value;
  }

  static Value drawn(const Init& init,
                     const Key& key,
                     const InitShape& shape,
                     const std::string& path) {
    try {
      return init(key, shape);
    } catch (const Error& error) {
      throw error.with_context(str("parameter '", path, "'"));
    }
  }

  const Init& init_of(const ParamInfo& info, const std::string& path) const {
    if (const InitRule* rule = find_rule(options_.rules, path)) return rule->init;
    return info.init ? info.init : init_by_name(info, path);
  }

  static const Init& init_by_name(const ParamInfo& info, const std::string& path) {
    for (const Module* at = info.module; at != nullptr; at = at->parent()) {
      if (const InitRule* rule = find_rule(at->default_inits(), info.name)) return rule->init;
    }
    const InitRule* rule = find_rule(nn::default_inits(), info.name);
    MW_CHECK(rule != nullptr, "parameter '", path, "' has no initialiser, and no default rule ",
             "matches '", info.name, "'\ndeclare one, or add a rule with set_default_inits()");
    return rule->init;
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

const InitRules& default_inits() {
  static const InitRules rules = {{Regex(".*weight"), glorot_uniform()},
                                  {Regex(".*bias"), zeros()},
                                  {Regex(".*scale"), ones()}};
  return rules;
}

std::vector<Regex> unused_rules(const InitRules& rules, const ParamSpecs& params) {
  std::set<const InitRule*> used;
  for_each(params,
           [&](const std::string& path, const ParamSpec&) { used.insert(find_rule(rules, path)); });
  std::vector<Regex> out;
  for (const InitRule& rule : rules) {
    if (!used.contains(&rule)) out.push_back(rule.pattern);
  }
  return out;
}

}  // namespace meshwright::nn
