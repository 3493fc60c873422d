// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/config_words.h"

#include "meshwright/config/config.h"
#include "meshwright/config/find_config.h"

namespace meshwright::cli {

ConfigWords split_config_words(const Words& words) {
  ConfigWords split;
  for (const std::string& word : words) {
    std::error_code ignored;
    const bool is_override =
        word.find('=') != std::string::npos && !std::filesystem::exists(word, ignored);
    (is_override ? split.overrides : split.names).push_back(word);
  }
  return split;
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
  config.written = config::load_tree(config.file, overrides);
  config.values = changed_values(type, config, [](void*) {});
  return config;
}

}  // namespace meshwright::cli
