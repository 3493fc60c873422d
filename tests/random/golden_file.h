// SPDX-License-Identifier: Apache-2.0
// Reads the output of tools/make_goldens/jax_random.py, which describes the format.
#pragma once

#include <string>
#include <vector>

#include "meshwright/tensor/shape.h"

namespace meshwright {

struct Golden {
  enum class Kind { bits, digest, about };
  std::string name;
  ArrayType type;
  Kind kind = Kind::bits;
  std::string digest;              // if Kind::digest
  std::vector<std::string> words;  // one per element otherwise
};

/// Throws data_loss for an invalid line.
std::vector<Golden> read_goldens(const std::string& path);

}  // namespace meshwright
