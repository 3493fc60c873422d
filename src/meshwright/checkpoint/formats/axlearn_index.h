// SPDX-License-Identifier: Apache-2.0
// The file `index` of AXLearn's checkpoints: a list of pairs, first ["step", 12], then for each
// array ["model/w", {"dtype": "float32", "shape": "(4, 3)"}], and for each iterator a pair with the
// name of its class.
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
  std::map<std::string, std::string> iterators;  // class names, by path
  Meta values;                                   // all other entries, including the step
};

/// Returns the text for the step, arrays and iterators exactly as AXLearn writes it: AXLearn
/// compares entries as text.
std::string write_axlearn_index(const AxLearnIndex& index);
/// Throws data_loss, naming `name` and the entry, if the text is malformed, and unimplemented for
/// an unsupported dtype.
AxLearnIndex parse_axlearn_index(std::string_view text, const std::string& name);

}  // namespace meshwright::checkpoint
