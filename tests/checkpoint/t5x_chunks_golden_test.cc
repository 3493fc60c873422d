// SPDX-License-Identifier: Apache-2.0
// Arrays are divided into the chunks that T5X chooses.
#include <gtest/gtest.h>

#include "meshwright/base/json_value.h"
#include "meshwright/checkpoint/formats/t5x_tree.h"
#include "meshwright/io/file_system.h"

namespace meshwright::checkpoint {
namespace {

Dims dims_of(const JsonValue& list) {
  Dims out;
  for (const JsonValue& size : list.as_array())
    out.push_back(size.as_integer());
  return out;
}

TEST(T5xChunks, AreThoseOfT5x) {
  const auto files = io::open_file_system(GOLDEN_FOLDER);
  const JsonValue cases = parse_json(io::read_text(*files, "chunks.json", 1 << 20), "chunks.json");
  EXPECT_GT(cases.as_array().size(), 200);
  for (const JsonValue& a_case : cases.as_array()) {
    const Dims shape = dims_of(a_case.at("shape"));
    const DType dtype = *find_dtype(a_case.at("dtype").as_text());
    EXPECT_EQ(t5x_chunk(shape, dtype), dims_of(a_case.at("chunk"))) << str(shape, dtype);
  }
}

}  // namespace
}  // namespace meshwright::checkpoint
