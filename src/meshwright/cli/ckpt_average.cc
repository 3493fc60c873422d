// SPDX-License-Identifier: Apache-2.0
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

std::vector<checkpoint::Stored> newest_of(const checkpoint::Location& location, std::int64_t n) {
  MW_CHECK(!location.named, "ckpt average: --newest takes a run, not a checkpoint");
  MW_CHECK(n >= 1 && n <= std::ssize(location.steps), "ckpt average: --newest ", n, ": there are ",
           location.steps.size(), " checkpoints");
  std::vector<checkpoint::Stored> out;
  for (std::size_t i = location.steps.size() - static_cast<std::size_t>(n);
       i < location.steps.size(); ++i)
    out.push_back(open_step(location, location.steps[i]));
  return out;
}

int average(const AverageArgs& args) {
  MW_CHECK(args.arguments.size() >= 2, "ckpt average: takes sources and a destination\n",
           "see: meshwright ckpt average --help");
  MW_CHECK(!args.newest || args.arguments.size() == 2,
           "ckpt average: --newest takes one run and a destination");
  std::vector<checkpoint::Stored> all;
  CopyArgs copy = args.copy;
  for (std::size_t i = 0; i + 1 < args.arguments.size(); ++i) {
    const checkpoint::Location location = checkpoint::locate(args.arguments[i]);
    if (args.newest) {
      all = newest_of(location, *args.newest);
    } else {
      all.push_back(open_step(location, location.step()));
    }
    copy.to = container_for(args.copy, args.arguments.back(), container_like(location));
  }
  write_copy("ckpt average", copy, checkpoint::average_of(all), args.arguments.back());
  return 0;
}

}  // namespace

CommandBody average_checkpoints(const std::string& name) {
  return make_ckpt_command<AverageArgs>(name, average);
}

}  // namespace meshwright::cli
