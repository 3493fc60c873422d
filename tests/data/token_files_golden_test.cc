// SPDX-License-Identifier: Apache-2.0
// Reads the files of tests/golden/token_files.
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/base/json_value.h"
#include "meshwright/data/token_files/open_token_files.h"

namespace meshwright::data {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

using Ids = std::vector<std::int32_t>;

constexpr std::int64_t kVocab = 200000;
const std::string kFolder = GOLDEN_FOLDER;

DocumentsPtr open(const std::string& name) {
  TokenFileOptions options;
  if (name == "nanogpt.bin") options.dtype = DType::u16;
  return token_documents(open_token_files({kFolder + "/" + name}, options), kVocab);
}

JsonValue expected_documents() {
  return parse_json(file_text(kFolder + "/expected.json"), "expected.json");
}

TEST(GoldenTokenFiles, EveryFileHasTheDocumentsThatWereWritten) {
  const JsonValue expected = expected_documents();
  EXPECT_EQ(expected.as_object().size(), 21U);
  for (const auto& [name, documents] : expected.as_object()) {
    SCOPED_TRACE(name);
    const DocumentsPtr read = open(name);
    ASSERT_EQ(read->num_documents(), std::ssize(documents.as_array()));
    for (std::int64_t i = 0; i < read->num_documents(); ++i) {
      Ids ids;
      for (const JsonValue& id : documents.as_array()[static_cast<std::size_t>(i)].as_array())
        ids.push_back(static_cast<std::int32_t>(id.as_integer()));
      EXPECT_EQ(whole_document(*read, i), ids);
    }
  }
}

TEST(GoldenTokenFiles, OtherFilesAreRefused) {
  const auto refusal = [](const char* text) { return ThrowsMessage<Error>(HasSubstr(text)); };
  EXPECT_THAT([] { open("llmc_eval.bin"); }, refusal("multiple-choice questions"));
  EXPECT_THAT([] { open("big_endian.npy"); }, refusal("'>u2', expected little-endian integers"));
  EXPECT_THAT([] { open("matrix.npy"); }, refusal("has shape (5, 10), expected one dimension"));
  EXPECT_THAT([] { open("floats.npy"); }, refusal("'<f4', expected little-endian integers"));
}

}  // namespace
}  // namespace meshwright::data
