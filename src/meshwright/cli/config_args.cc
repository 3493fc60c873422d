// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/config_args.h"

#include "meshwright/base/regex.h"
#include "meshwright/config/config.h"
#include "meshwright/config/find_config.h"

namespace meshwright::cli {

ConfigArgs split_config_args(const Args& args) {
  ConfigArgs split;
  for (const std::string& word : args) {
    std::error_code ignored;
    const bool is_override =
        word.find('=') != std::string::npos && !std::filesystem::exists(word, ignored);
    (is_override ? split.overrides : split.names).push_back(word);
  }
  return split;
}

namespace {

// Ignores malformed tables: reading the config reports them.
config::Array overrides_of_rule(const config::Node& tree) {
  const config::Node* selector = config::find_node(tree, {"mesh", "selector"});
  const config::Node* rules = config::find_node(tree, {"mesh", "rules"});
  if (selector == nullptr || selector->string() == nullptr) return {};
  if (rules == nullptr || rules->array() == nullptr) return {};
  for (const config::Node& rule : *rules->array()) {
    const config::Node* pattern = config::find_node(rule, {"selector"});
    if (pattern == nullptr || pattern->string() == nullptr) continue;
    if (!Regex(*pattern->string()).matches(*selector->string())) continue;
    const config::Node* set = config::find_node(rule, {"set"});
    return set == nullptr || set->array() == nullptr ? config::Array() : *set->array();
  }
  return {};
}

}  // namespace

config::Node load_config_tree(const std::filesystem::path& file,
                              const std::vector<std::string>& overrides) {
  config::Node tree = config::load_tree(file, overrides);
  const config::Array set_by_rule = overrides_of_rule(tree);
  return set_by_rule.empty() ? tree : config::load_tree(file, overrides, set_by_rule);
}

config::Node changed_values(const config::Type& type,
                            const ResolvedConfig& config,
                            const std::function<void(void*)>& change) {
  const std::shared_ptr<void> object = type.create();
  config::read_object(type, config.written, object.get());
  change(object.get());
  return config::write_object(type, object.get());
}

ResolvedConfig resolve_config(const config::Type& type,
                              const std::string& name,
                              const std::vector<std::string>& overrides) {
  ResolvedConfig config;
  config.file = config::find_config(name, config::config_folders());
  config.written = load_config_tree(config.file, overrides);
  config.values = changed_values(type, config, [](void*) {});
  return config;
}

}  // namespace meshwright::cli
