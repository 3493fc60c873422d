// SPDX-License-Identifier: Apache-2.0
// The contents of a checkpoint, independent of the format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meshwright/base/tree.h"
#include "meshwright/checkpoint/contents/iterator_state.h"
#include "meshwright/checkpoint/contents/meta.h"
#include "meshwright/mesh/shards.h"
#include "meshwright/runtime/device_array.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::checkpoint {

/// A rectangular part of an array.
struct Part {
  std::vector<mesh::Range> ranges;  // one per dimension
  HostTensor value;
};

/// An array in host memory, split into the parts that the devices held. Every element appears once.
struct ArrayParts {
  ArrayType type;
  std::vector<Part> parts;
};

struct Contents {
  std::int64_t step = 0;
  Tree<ArrayParts> arrays;
  Meta meta;
  std::vector<IteratorState> iterators = {};
};

/// Copies device arrays to host memory. The arrays may be donated once this returns.
Tree<ArrayParts> snapshot(const Tree<runtime::DeviceArray>& arrays);

/// Assembles the parts into one array.
HostTensor assemble(const ArrayParts& array);

}  // namespace meshwright::checkpoint
