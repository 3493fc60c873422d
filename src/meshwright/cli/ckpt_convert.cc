// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/counted.h"
#include "meshwright/base/log.h"
#include "meshwright/checkpoint/containers/all_containers.h"
#include "meshwright/checkpoint/convert/array_rules.h"
#include "meshwright/checkpoint/save/foreign_layout.h"
#include "meshwright/cli/array_rule_args.h"
#include "meshwright/cli/ckpt_commands.h"
#include "meshwright/cli/ckpt_copy.h"
#include "meshwright/cli/configured_state.h"
#include "meshwright/cli/load_run_config.h"
#include "meshwright/config/config.h"
#include "meshwright/systems/list/all_systems.h"
#include "meshwright/systems/t5x/mesh_tensorflow.h"

namespace meshwright::cli {
namespace {

using checkpoint::Container;
using checkpoint::PendingCheckpoint;
using checkpoint::Stored;

constexpr std::string_view kNativeLayout = "native";

struct ConvertArgs {
  Args paths;
  std::optional<std::string> as, layout, config;
  std::optional<std::int64_t> step;
  ArrayRuleArgs rules;
  CopyArgs copy;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Writes a checkpoint again in another container: other files with the same arrays. With "
        "--as, also gives the arrays the names and shapes that another system has for the same "
        "model. Reads and writes in parts, within a memory budget; checksums are verified "
        "on the way. If the process is killed, the same command continues where it was. SRC is "
        "never "
        "changed.");
    parser.positionals(paths, {"SRC DST", Offer::files},
                       "a run (its newest checkpoint) or a checkpoint; a new file or folder, or "
                       "the run folder to which a checkpoint is added");
    parser.option("--as", as, {.name = "LAYOUT", .choices = layouts()},
                  "the system whose names and shapes the arrays get");
    parser.option("--layout", layout, {.name = "LAYOUT", .choices = source_layouts()},
                  "the system whose names SRC has; by default that of its container");
    parser.option(
        "--config", config, {"CONFIG", Offer::files},
        "the model for --as: a TOML file, the name of one in configs/, or a run folder; by "
        "default what the checkpoint records");
    parser.option("--step", step, {"N"}, "the checkpoint of this step instead of the newest");
    rules.declare(parser);
    copy.declare(parser, "the container to write; by default that of the ending of DST");
    parser.example("runs/a model.safetensors --only 'model/.*'");
    parser.example("t5_small t5x --to t5x --layout mesh_tensorflow --as t5x");
    parser.example("t5x_run runs/b --to native --as native --config runs/b");
  }

  static std::vector<std::string> layouts() {
    std::vector<std::string> out = systems::system_names();
    out.emplace_back(kNativeLayout);
    return out;
  }
  static std::vector<std::string> source_layouts() {
    std::vector<std::string> out = layouts();
    out.emplace_back(systems::kMeshTensorFlow);
    return out;
  }
};

/// The layouts of both sides, if names and shapes change.
struct Layouts {
  checkpoint::ForeignLayout from, to;
};

checkpoint::ForeignLayout layout_named(const ConfiguredState& state, const std::string& name) {
  if (name == kNativeLayout) return {};
  checkpoint::ForeignLayout out = layout_of(state, systems::system_named(name));
  MW_CHECK(!out.arrays.empty(), "ckpt convert: ", name, " has no model like this one");
  return out;
}

bool is_system(std::string_view name) {
  const std::vector<std::string> names = systems::system_names();
  return std::ranges::find(names, name) != names.end();
}

RunConfig config_of(const ConvertArgs& args, const Stored& stored) {
  if (args.config) return load_run_config("ckpt convert", {*args.config});
  const std::optional<config::Node> recorded = find_recorded_config(stored);
  MW_CHECK(recorded.has_value(),
           "ckpt convert: --as needs --config, the config of the model, since the checkpoint does "
           "not record it\nfor example: --config runs/a");
  return config::from_tree<RunConfig>(*recorded);
}

std::optional<Layouts> layouts_of(const ConvertArgs& args,
                                  const Container& source,
                                  const Stored& stored) {
  if (!args.as) {
    MW_CHECK(!args.layout, "ckpt convert: --layout needs --as, the layout to convert to");
    return std::nullopt;
  }
  const ConfiguredState state = configured_state(config_of(args, stored));
  const std::string from =
      args.layout.value_or(is_system(source.name()) ? std::string(source.name()) : "native");
  return Layouts{layout_named(state, from), layout_named(state, *args.as)};
}

/// Returns T5X's names of a model that Mesh TensorFlow trained. They do not depend on its sizes.
Stored imported(const ConvertArgs& args, const Stored& stored) {
  MW_CHECK(args.as == "t5x", "ckpt convert: --layout ", systems::kMeshTensorFlow,
           " can only be converted to --as t5x");
  return systems::from_mesh_tensorflow(stored);
}

/// Tells which arrays the target's system does not know.
void tell_of_own(const PendingCheckpoint& pending, const ConvertArgs& args) {
  std::vector<std::string> own;
  for_each(pending.plan.arrays, [&](const std::string& path, const checkpoint::ArrayPlan& array) {
    if (array.is_own) own.push_back(path);
  });
  if (!args.as || own.empty()) return;
  log_warning(*args.as, " has no place for ", counted(std::ssize(own), "array"), ", which ",
              own.size() == 1 ? "keeps its name" : "keep their names", ":\n  ", first_of(own));
}

std::string identity_of(const ConvertArgs& args) {
  std::string out =
      str(args.as.value_or(""), "\n", args.layout.value_or(""), "\n", args.rules.text());
  if (args.config) out += config::to_toml(load_run_config("ckpt convert", {*args.config}));
  return out;
}

int convert(const ConvertArgs& args) {
  MW_CHECK(args.paths.size() == 2, "ckpt convert: takes a source and a destination, not ",
           args.paths.size(), " paths\nsee: meshwright ckpt convert --help");
  CopyArgs copy = args.copy;
  copy.to = container_for(copy, args.paths[1], "");
  MW_CHECK(!copy.to.empty(), "ckpt convert: --to is missing: one of ",
           join(checkpoint::written_containers(), ", "));
  copy.identity = identity_of(args);
  const checkpoint::Location location = checkpoint::locate(args.paths[0]);
  checkpoint::RuledArrays ruled =
      apply_rules(open_to_copy(copy, location, entry_of(location, args.step), args.paths[1]),
                  args.rules.rules("ckpt convert"));
  if (!ruled.dropped.empty())
    std::cerr << "left out " << counted(std::ssize(ruled.dropped), "array") << "\n";
  Stored stored = std::move(ruled.stored);
  const bool is_import = args.layout == systems::kMeshTensorFlow;
  const std::optional<Layouts> layouts =
      is_import ? std::nullopt : layouts_of(args, *location.container, stored);
  if (is_import) stored = imported(args, stored);
  if (layouts) stored = checkpoint::from_foreign(stored, layouts->from);
  write_copy("ckpt convert", copy, stored, args.paths[1], [&](PendingCheckpoint pending) {
    if (layouts) pending = to_foreign(std::move(pending), layouts->to);
    tell_of_own(pending, args);
    return pending;
  });
  return 0;
}

}  // namespace

CommandBody convert_checkpoint(const std::string& name) {
  return make_ckpt_command<ConvertArgs>(name, convert);
}

}  // namespace meshwright::cli
