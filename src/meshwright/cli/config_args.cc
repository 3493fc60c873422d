// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/config_args.h"

#include "meshwright/base/check.h"
#include "meshwright/base/regex.h"
#include "meshwright/checkpoint/run/run_files.h"
#include "meshwright/cli/earlier_keys.h"
#include "meshwright/config/config.h"
#include "meshwright/config/find_config.h"
#include "meshwright/config/toml_text.h"
#include "meshwright/io/file_system.h"

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

// Where overrides are given, for messages.
constexpr char kCommandLine[] = "command line";

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

bool is_folder(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::is_directory(name, ignored);
}

// The stored `dir` may be stale: the folder may have moved, or the run was started from another
// working directory.
config::Array dir_of_run(const std::filesystem::path& folder) {
  const std::string name = (folder.has_filename() ? folder : folder.parent_path()).string();
  const config::Origin origin = {std::make_shared<const config::Source>(config::Source{name, {}})};
  return {{str("dir=", config::toml_value({name})), origin}};
}

}  // namespace

config::Node load_config_tree(const std::filesystem::path& file,
                              const std::vector<std::string>& overrides) {
  config::Node tree = config::load_tree(file, overrides, {}, kCommandLine);
  const config::Array set_by_rule = overrides_of_rule(tree);
  return set_by_rule.empty() ? tree : config::load_tree(file, overrides, set_by_rule, kCommandLine);
}

config::Node load_tree_of_run(const std::filesystem::path& folder,
                              const std::vector<std::string>& overrides) {
  const auto found = io::open_file_system(folder.string())->find(checkpoint::kRunConfig);
  MW_CHECK(found, folder.string(), " is not a run folder: it has no ", checkpoint::kRunConfig);
  MW_CHECK(found->kind == io::FileKind::file, (folder / checkpoint::kRunConfig).string(),
           ": not a plain file; links in a run folder are not followed");
  // This config includes what a mesh rule set.
  config::Node tree = config::load_tree(folder / checkpoint::kRunConfig, overrides,
                                        dir_of_run(folder), kCommandLine);
  replace_earlier_keys(tree);
  return tree;
}

namespace {

// A name with a folder may be that of a run.
std::filesystem::path find_config(const std::string& name) {
  try {
    return config::find_config(name, config::config_folders());
  } catch (const Error& error) {
    const bool may_be_run = name.find('/') != name.npos && !name.ends_with(".toml");
    if (!may_be_run) throw;
    throw error.with_context(str("there is no run folder ", name));
  }
}

}  // namespace

config::Node load_named_tree(const std::string& name, const std::vector<std::string>& overrides) {
  if (is_folder(name)) return load_tree_of_run(name, overrides);
  config::Node tree = load_config_tree(find_config(name), overrides);
  replace_earlier_keys(tree);
  return tree;
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
  config.written = load_named_tree(name, overrides);
  config.values = changed_values(type, config, [](void*) {});
  return config;
}

}  // namespace meshwright::cli
