// SPDX-License-Identifier: Apache-2.0
// many_inputs COUNT [KIND SEED]: draws COUNT inputs, or repeats one. Prints the failures.
#include <cstdlib>
#include <iostream>

#include "readers.h"

using namespace meshwright::hostile;  // NOLINT(google-build-using-namespace): a program

int main(int argc, char** argv) {
  if (argc == 4) {
    const std::string trouble =
        try_input(static_cast<Kind>(std::atoi(argv[2])), std::strtoull(argv[3], nullptr, 10));
    std::cout << (trouble.empty() ? "fine" : trouble) << "\n";
    return trouble.empty() ? 0 : 1;
  }
  const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
  int num_bad = 0;
  for (int i = 0; i < count; ++i) {
    const int kind = i % kNumKinds;
    const std::uint64_t seed = 1000 + static_cast<std::uint64_t>(i);
    const std::string trouble = try_input(static_cast<Kind>(kind), seed);
    if (trouble.empty()) continue;
    ++num_bad;
    std::cout << to_string(static_cast<Kind>(kind)) << " (" << argv[0] << " 1 " << kind << " "
              << seed << "): " << trouble << std::endl;
  }
  std::cout << count << " inputs, " << num_bad << " with trouble\n";
  return num_bad == 0 ? 0 : 1;
}
