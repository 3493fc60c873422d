// SPDX-License-Identifier: Apache-2.0
// The cases of tools/make_goldens/jax_random.py, written with our functions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "meshwright/graph/random/key.h"

namespace meshwright {

struct Case {
  std::string name;
  std::function<graph::Value(const graph::random::Key&)> draw;
};

std::vector<Case> all_cases();

}  // namespace meshwright
