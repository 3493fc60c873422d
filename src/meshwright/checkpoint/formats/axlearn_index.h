// SPDX-License-Identifier: Apache-2.0
// The file `index` of AXLearn's checkpoints: a list of pairs, ["step", 12] first, then for each
// array
// ["model/w", {"dtype": "float32", "shape": "(4, 3)"}].
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "meshwright/base/tree.h"
#include "meshwright/checkpoint/meta.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::checkpoint {

struct AxLearnIndex {
  std::int64_t step = 0;
  Tree<ArrayType> arrays;
  Meta values;  // all other entries, the step too; of an iterator the name of its class
};

/// The text as AXLearn writes it, to the byte: it compares entries as texts.
std::string write_axlearn_index(std::int64_t step, const Tree<ArrayType>& arrays);
/// Throws data_loss, naming `name` and the entry; unimplemented for a dtype that we have not.
AxLearnIndex parse_axlearn_index(std::string_view text, const std::string& name);

}  // namespace meshwright::checkpoint
