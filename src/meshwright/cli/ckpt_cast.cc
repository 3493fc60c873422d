// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/check.h"
#include "meshwright/checkpoint/contents/cast.h"
#include "meshwright/checkpoint/convert/array_rules.h"
#include "meshwright/cli/ckpt_commands.h"
#include "meshwright/cli/ckpt_copy.h"

namespace meshwright::cli {
namespace {

struct CastArgs {
  Args arguments;
  std::optional<std::int64_t> step;
  std::string only = ".*";
  CopyArgs copy;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Writes a checkpoint with its floating-point arrays cast to DTYPE. Integers, such as "
        "counts "
        "and random keys, are not changed.");
    parser.positionals(arguments, {"SRC DST DTYPE", Offer::files},
                       "a run or a checkpoint, a new place, and a dtype such as bf16");
    parser.option("--only", only, {"PATTERN"}, "only cast arrays whose whole path matches");
    parser.option("--step", step, {"N"}, "the checkpoint of this step instead of the newest");
    copy.declare(parser, "the container to write (that of SRC)");
    parser.example("runs/a runs/a-bf16 bf16 --only 'model/.*'");
  }
};

int cast(const CastArgs& args) {
  MW_CHECK(args.arguments.size() == 3, "ckpt cast: takes a source, a destination and a dtype\n",
           "see: meshwright ckpt cast --help");
  const std::optional<DType> dtype = find_dtype(args.arguments[2]);
  MW_CHECK(dtype && is_float(*dtype), "ckpt cast: '", args.arguments[2],
           "' is not a floating-point dtype: one of f16, bf16, f32, f64, ...");
  const checkpoint::Location location = checkpoint::locate(args.arguments[0]);
  CopyArgs copy = args.copy;
  copy.to = container_for(copy, args.arguments[1], container_like(location));
  copy.identity = str(args.arguments[2], "\n", args.only, "\n");
  checkpoint::Stored stored =
      open_to_copy(copy, location, entry_of(location, args.step), args.arguments[1]);
  const Regex only(args.only);
  std::int64_t num_cast = 0;
  stored.arrays =
      map(stored.arrays, [&](const std::string& path, const checkpoint::StoredArray& array) {
        if (!is_float(array.type().dtype) || !only.matches(path)) return array;
        ++num_cast;
        return checkpoint::cast(array, *dtype);
      });
  MW_CHECK(num_cast > 0, "ckpt cast: no floating-point array's path matches '", args.only, "'");
  write_copy("ckpt cast", copy, stored, args.arguments[1]);
  return 0;
}

}  // namespace

CommandBody cast_checkpoint(const std::string& name) {
  return make_ckpt_command<CastArgs>(name, cast);
}

}  // namespace meshwright::cli
