// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "meshwright/base/check.h"
#include "meshwright/checkpoint/convert/average.h"
#include "meshwright/cli/ckpt_commands.h"
#include "meshwright/cli/ckpt_copy.h"

namespace meshwright::cli {
namespace {

struct AverageArgs {
  Args arguments;
  std::optional<std::int64_t> newest;
  CopyArgs copy;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Writes the mean of several checkpoints: of each floating-point array, computed in double "
        "precision. All other arrays, the step and the data position are those of the last one.");
    parser.positionals(arguments, {"SRC... DST", Offer::files},
                       "runs or checkpoints, and a new place");
    parser.option("--newest", newest, {"N"}, "average the N newest checkpoints of one run");
    copy.declare(parser, "the container to write (that of the last SRC)");
    parser.example("runs/a averaged --newest 5");
    parser.example("runs/a runs/b runs/c averaged.safetensors");
  }
};

// Returns the last n checkpoints of a run.
std::span<const checkpoint::CheckpointEntry> newest_of(const checkpoint::Location& location,
                                                       std::int64_t n) {
  MW_CHECK(!location.named, "ckpt average: --newest takes a run, not a checkpoint");
  MW_CHECK(n >= 1 && n <= std::ssize(location.steps), "ckpt average: --newest ", n, ": there are ",
           location.steps.size(), " checkpoints");
  return std::span(location.steps).last(static_cast<std::size_t>(n));
}

int average(const AverageArgs& args) {
  MW_CHECK(args.arguments.size() >= 2, "ckpt average: takes sources and a destination\n",
           "see: meshwright ckpt average --help");
  MW_CHECK(!args.newest || args.arguments.size() == 2,
           "ckpt average: --newest takes one run and a destination");
  std::vector<checkpoint::Location> sources;
  for (std::size_t i = 0; i + 1 < args.arguments.size(); ++i)
    sources.push_back(checkpoint::locate(args.arguments[i]));
  const std::string& destination = args.arguments.back();
  CopyArgs copy = args.copy;
  copy.to = container_for(args.copy, destination, container_like(sources.back()));
  std::vector<checkpoint::Stored> all;
  for (const checkpoint::Location& source : sources) {
    const std::span<const checkpoint::CheckpointEntry> steps =
        args.newest ? newest_of(source, *args.newest) : std::span(&source.step(), 1);
    for (const checkpoint::CheckpointEntry& step : steps)
      all.push_back(open_to_copy(copy, source, step, destination));
  }
  write_copy("ckpt average", copy, checkpoint::average_of(all), destination);
  return 0;
}

}  // namespace

CommandBody average_checkpoints(const std::string& name) {
  return make_ckpt_command<AverageArgs>(name, average);
}

}  // namespace meshwright::cli
