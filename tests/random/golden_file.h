// SPDX-License-Identifier: Apache-2.0
// Reads what tools/make_goldens/jax_random.py wrote; its text describes the file.
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
  std::string digest;              // of Kind::digest
  std::vector<std::string> words;  // one per element otherwise
};

/// Throws data_loss for a line it does not understand.
std::vector<Golden> read_goldens(const std::string& path);

}  // namespace meshwright
