// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "meshwright/base/check.h"
#include "meshwright/checkpoint/match.h"
#include "meshwright/checkpoint/statistics.h"
#include "meshwright/cli/ckpt_commands.h"
#include "meshwright/cli/exit_code.h"
#include "meshwright/metrics/format.h"

namespace meshwright::cli {
namespace {

using checkpoint::Stored;

Tree<ArrayType> types_of(const Stored& stored) {
  return map(stored.arrays, [](const checkpoint::StoredArray& array) { return array.type(); });
}

bool print_structure(const Stored& a, const Stored& b) {
  const std::vector<std::string> lines =
      differing_lines(types_of(a), types_of(b), checkpoint::Match::exact);
  for (const std::string& line : lines)
    std::cout << line << "\n";
  return !lines.empty();
}

bool print_values(const Stored& a, const Stored& b, const checkpoint::Tolerance& tolerance) {
  const auto found = differing_arrays(a, b, tolerance);
  for (const checkpoint::ArrayDifference& array : found) {
    std::cout << array.path << ": " << metrics::with_separators(array.num_different) << " of "
              << metrics::with_separators(array.num_elements) << " elements differ, by "
              << metrics::significant(array.largest) << " at most\n";
  }
  return !found.empty();
}

bool print_meta(const Stored& a, const Stored& b) {
  const auto compare = [](const Scalar& left, const Scalar& right) {
    return left == right ? "" : str(scalar_text(left), " and ", scalar_text(right));
  };
  const std::vector<std::string> lines = differences(a.meta, b.meta, compare);
  for (const std::string& line : lines)
    std::cout << line << "\n";
  return !lines.empty();
}

Stored open_named(const std::string& folder) {
  const checkpoint::Location location = located("diff", {folder});
  return open_step(location, location.step());
}

}  // namespace

int diff_checkpoints(const Words& words) {
  ArgumentParser parser("ckpt diff",
                        "Prints in what two checkpoints differ, of the same format or not: arrays "
                        "that only A ('-') or only B ('+') has, then elements. Exit code 1 if they "
                        "differ.");
  Words folders;
  checkpoint::Tolerance tolerance;
  bool with_meta = false;
  parser.positionals(folders, "A B", "folders of runs or of steps");
  parser.option("--atol", tolerance.atol, "X", "elements may be this far apart");
  parser.option("--rtol", tolerance.rtol, "X", "and by this part of B's");
  parser.flag("--meta", with_meta, "compare the small values too: data position, policies");
  parser.example("runs/a runs/b --rtol 1e-5");
  if (!parser.parse(words)) return 0;
  MW_CHECK(folders.size() == 2, "ckpt diff: takes two folders, not ", folders.size(),
           "\nsee: meshwright ckpt diff --help");
  MW_CHECK(tolerance.atol >= 0 && tolerance.rtol >= 0,
           "ckpt diff: --atol and --rtol are at least 0");
  const Stored a = open_named(folders[0]);
  const Stored b = open_named(folders[1]);
  bool is_different = print_structure(a, b);
  is_different = print_values(a, b, tolerance) || is_different;
  if (with_meta) is_different = print_meta(a, b) || is_different;
  return static_cast<int>(is_different ? ExitCode::no : ExitCode::done);
}

}  // namespace meshwright::cli
