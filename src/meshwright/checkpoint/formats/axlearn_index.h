// SPDX-License-Identifier: Apache-2.0
// The file `index` of AXLearn's checkpoints: a list of pairs, ["step", 12] first, then for each
// array
// ["model/w", {"dtype": "float32", "shape": "(4, 3)"}], and for each iterator the name of its
// class.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "meshwright/base/tree.h"
#include "meshwright/checkpoint/contents/meta.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::checkpoint {

struct AxLearnIndex {
  std::int64_t step = 0;
  Tree<ArrayType> arrays;
  std::map<std::string, std::string> iterators;  // their classes, by path
  Meta values;                                   // all other entries, the step too
};

/// The text of steps, arrays and iterators as AXLearn writes it, to the byte: it compares entries
/// as texts.
std::string write_axlearn_index(const AxLearnIndex& index);
/// Throws data_loss, naming `name` and the entry; unimplemented for a dtype that we have not.
AxLearnIndex parse_axlearn_index(std::string_view text, const std::string& name);

}  // namespace meshwright::checkpoint
