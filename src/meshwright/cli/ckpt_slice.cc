// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/check.h"
#include "meshwright/checkpoint/convert/array_rules.h"
#include "meshwright/cli/ckpt_commands.h"
#include "meshwright/cli/ckpt_copy.h"

namespace meshwright::cli {
namespace {

struct SliceArgs {
  Args arguments;
  std::optional<std::int64_t> step;
  std::optional<std::string> below;
  CopyArgs copy;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Writes a checkpoint of only some arrays: those whose whole path matches PATTERN. With "
        "--below, their paths lose this beginning.");
    parser.positionals(arguments, {"SRC DST PATTERN", Offer::files},
                       "a run or a checkpoint, a new place, and the arrays");
    parser.option("--below", below, {"FOLDER"},
                  "take the arrays below this path, named from there");
    parser.option("--step", step, {"N"}, "the checkpoint of this step instead of the newest");
    copy.declare(parser, "the container to write (that of SRC)");
    parser.example("runs/a encoder.safetensors 'model/encoder/.*'");
    parser.example("runs/a runs/b 'model/.*' --below model");
  }
};

// Quotes what stands for something else in a pattern.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

int slice(const SliceArgs& args) {
  MW_CHECK(args.arguments.size() == 3, "ckpt slice: takes a source, a destination and a pattern\n",
           "see: meshwright ckpt slice --help");
  const checkpoint::Location location = checkpoint::locate(args.arguments[0]);
  checkpoint::ArrayRules rules;
  rules.only.emplace(args.arguments[2]);
  if (args.below) rules.rename.push_back({Regex(quoted(*args.below) + "/(.*)"), "\\1"});
  CopyArgs copy = args.copy;
  copy.to = container_for(copy, args.arguments[1], container_like(location));
  copy.identity = str(args.arguments[2], "\n", args.below.value_or(""), "\n");
  const checkpoint::RuledArrays ruled = apply_rules(
      open_to_copy(copy, location, entry_of(location, args.step), args.arguments[1]), rules);
  write_copy("ckpt slice", copy, ruled.stored, args.arguments[1]);
  return 0;
}

}  // namespace

CommandBody slice_checkpoint(const std::string& name) {
  return make_ckpt_command<SliceArgs>(name, slice);
}

}  // namespace meshwright::cli
