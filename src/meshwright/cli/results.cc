// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/results.h"

#include <iostream>

#include "meshwright/base/str.h"

namespace meshwright::cli {

void print_results(const train::Results& results) {
  for (const auto& [name, value] : results)
    std::cout << name << ": " << str(static_cast<float>(value)) << '\n';
}

}  // namespace meshwright::cli
