// SPDX-License-Identifier: Apache-2.0
// Compares the import of T5 models with what T5X's own importer makes of them.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/json_value.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/systems/t5x/mesh_tensorflow.h"
#include "sha256/sha256.h"

namespace meshwright::systems {
namespace {

checkpoint::Stored open_model(const std::string& name) {
  const checkpoint::Location location =
      checkpoint::locate(str(GOLDEN_FOLDER "/t5_mesh_tensorflow/", name));
  return location.container->open(location.files, location.step().folder);
}

TEST(T5Import, NamesAndValuesAreThoseOfT5x) {
  for (const std::string model : {"t5", "t511", "lm"}) {
    SCOPED_TRACE(model);
    const checkpoint::Stored found = from_mesh_tensorflow(open_model(model));
    auto files = io::open_file_system(GOLDEN_FOLDER "/expected");
    const std::string file = str("t5_mesh_tensorflow_", model, ".json");
    const JsonValue expected = parse_json(io::read_text(*files, file), file);
    EXPECT_EQ(found.arrays.num_leaves(), expected.as_object().size());
    for (const auto& [path, entry] : expected.as_object()) {
      const auto* array = found.arrays.find(path);
      ASSERT_NE(array, nullptr) << path;
      const HostTensor value = array->value().read();
      EXPECT_EQ(numpy_name(value.dtype()), entry.at("dtype").as_text()) << path;
      EXPECT_EQ(test_sha256::sha256_hex(io::as_text(value.bytes())), entry.at("sha256").as_text())
          << path;
    }
  }
}

TEST(T5Import, OtherArraysAreAnError) {
  checkpoint::Stored stored = open_model("t5");
  stored.arrays["encoder/block_000/layer_000/SelfAttention/x"] =
      checkpoint::stored_value(HostTensor::scalar(1.0F));
  EXPECT_THAT(message_of([&] { from_mesh_tensorflow(stored); }),
              testing::HasSubstr("not those of a T5 model:\n  encoder/block_000"));
}

}  // namespace
}  // namespace meshwright::systems
