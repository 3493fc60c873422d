// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/load_run_config.h"

#include <filesystem>

#include "meshwright/base/check.h"
#include "meshwright/cli/config_args.h"
#include "meshwright/cli/earlier_keys.h"
#include "meshwright/config/config.h"
#include "meshwright/config/find_config.h"
#include "meshwright/config/toml_text.h"
#include "meshwright/io/file_system.h"

namespace meshwright::cli {
namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& name) {
  std::error_code ignored;
  return fs::is_directory(name, ignored);
}

RunConfig run_config_of(config::Node tree) {
  replace_earlier_keys(tree);
  return config::from_tree<RunConfig>(tree);
}

}  // namespace

RunConfig load_config_of_run(const std::filesystem::path& folder,
                             std::vector<std::string> overrides) {
  const auto found = io::open_file_system(folder.string())->find(kConfigOfRun);
  MW_CHECK(found, folder.string(), " is not a run folder: it has no ", kConfigOfRun);
  MW_CHECK(found->kind == io::FileKind::file, (folder / kConfigOfRun).string(),
           ": not a plain file; links in a run folder are not followed");
  // This config includes what a mesh rule set. Its `dir` may be stale: the folder may have moved,
  // or the run was started from another working directory.
  overrides.insert(overrides.begin(), str("dir=", config::toml_value({folder.string()})));
  return run_config_of(config::load_tree(folder / kConfigOfRun, overrides));
}

void declare_run_config(ArgumentParser& parser, Args& args) {
  parser.positionals(args, {"[CONFIG|RUN] [key.path=value...]", Offer::config},
                     "a TOML file, the name of one in configs/, or a run folder; then overrides "
                     "(default config: arithmetic_lm)");
}

RunConfig load_run_config(std::string_view command, const Args& args) {
  const ConfigArgs split = split_config_args(args);
  MW_CHECK(split.names.size() <= 1, command, ": takes one config, not '",
           join(split.names, "' and '"), "'");
  const std::string name = split.names.empty() ? kDefaultConfig : split.names[0];
  if (is_folder(name)) return load_config_of_run(name, split.overrides);
  return run_config_of(
      load_config_tree(config::find_config(name, config::config_folders()), split.overrides));
}

}  // namespace meshwright::cli
