// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/complete_config.h"

#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "meshwright/cli/config_args.h"
#include "meshwright/cli/run_config.h"
#include "meshwright/config/find_config.h"
#include "meshwright/config/problems.h"
#include "meshwright/config/read.h"
#include "meshwright/config/suggest.h"
#include "meshwright/config/write.h"

namespace meshwright::cli {
namespace {

const config::Type& run_type() {
  return config::type_of<RunConfig>();
}

/// Returns every key of the config, as far as it can be read: an override may be half typed.
std::optional<config::Node> find_values(const ConfigArgs& args) {
  try {
    const std::string name = args.names.empty() ? kDefaultConfig : args.names.back();
    const config::Node written = load_named_tree(name, args.overrides);
    const std::shared_ptr<void> object = run_type().create();
    config::Problems problems;
    config::read_object(run_type(), written, object.get(), problems);
    return config::write_object(run_type(), object.get());
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

Completion from(std::vector<config::Suggestion> suggestions) {
  Completion out;
  for (config::Suggestion& suggestion : suggestions)
    out.candidates.push_back({std::move(suggestion.text), std::move(suggestion.help)});
  return out;
}

}  // namespace

Completion complete_config(const Args& before, const std::string& typed, std::size_t max_configs) {
  const ConfigArgs args = split_config_args(before);
  const bool takes_config = args.names.size() < max_configs;
  const bool is_path = typed.find('/') != std::string::npos || typed.starts_with('~');
  Completion out;
  // Keys would bury the names of configs where nothing has been typed.
  if (!is_path && (!takes_config || !typed.empty())) {
    const std::optional<config::Node> values = find_values(args);
    out = from(config::suggest_overrides(run_type(), typed, values ? &*values : nullptr));
  }
  if (!takes_config || typed.find('=') != std::string::npos) return out;
  for (const std::string& name : config::config_names(config::config_folders()))
    if (name.starts_with(typed)) out.candidates.push_back({name, "config"});
  out.paths = Completion::Paths::toml_files;
  return out;
}

Completion complete_key(const std::string& typed) {
  return from(config::suggest_keys(run_type(), typed));
}

}  // namespace meshwright::cli
