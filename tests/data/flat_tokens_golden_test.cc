// SPDX-License-Identifier: Apache-2.0
// Reads the data sets of tests/golden/flat_tokens.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/base/json_value.h"
#include "meshwright/base/str.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/data/core/source_testutil.h"
#include "meshwright/data/token_files/flat_tokens.h"
#include "meshwright/data/token_files/open_token_files.h"
#include "meshwright/data/token_files/seqax_source.h"

namespace meshwright::data {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string kFolder = GOLDEN_FOLDER;
constexpr std::int64_t kVocab = 1000;

JsonValue read_json(const std::string& name) {
  return parse_json(file_text(fs::path(kFolder) / name), name);
}

TEST(GoldenFlatTokens, EverySplitHasTheSequencesThatWereWritten) {
  const JsonValue expected = read_json("small.json");
  for (const char* split : {"train", "validation"}) {
    const std::vector<TokenFile> files =
        open_token_files({kFolder + "/small.zarr"}, {.split = split});
    EXPECT_EQ(max_token(files), split == std::string("train") ? 899 : 876);
    const DocumentsPtr documents = token_documents(files, kVocab);
    const JsonValue::Array& sequences = expected.at(split).as_array();
    ASSERT_EQ(documents->num_documents(), std::ssize(sequences));
    for (std::int64_t i = 0; i < documents->num_documents(); ++i) {
      std::vector<std::int32_t> ids;
      for (const JsonValue& id : sequences[static_cast<std::size_t>(i)].as_array())
        ids.push_back(static_cast<std::int32_t>(id.as_integer()));
      EXPECT_EQ(whole_document(*documents, i), ids) << split << " " << i;
    }
  }
}

std::vector<std::uint32_t> expected_blocks(std::int64_t begin, std::size_t size) {
  std::vector<std::uint32_t> out;
  for (std::int64_t i = begin; std::size(out) < size; ++i)
    out.push_back(static_cast<std::uint32_t>(2 * (i * i % 251) + (i % 1000 == 0 ? 1 : 0)));
  return out;
}

TEST(GoldenFlatTokens, ReadsAnyRangeOfChunksWithSeveralBlocks) {
  const FlatTokens tokens(kFolder + "/blocks.zarr", "train");
  ASSERT_EQ(tokens.num_tokens(), 400'000);
  std::mt19937_64 random(1);
  std::vector<std::pair<std::int64_t, std::size_t>> ranges = {
      {0, 400'000}, {65'535, 2}, {131'071, 3}, {149'999, 2}, {399'999, 1}};
  for (int i = 0; i < 200; ++i)
    ranges.emplace_back(random() % 390'000, random() % 3000);
  for (const auto& [begin, size] : ranges) {
    std::vector<std::uint32_t> read(size);
    tokens.read(begin, read);
    ASSERT_EQ(read, expected_blocks(begin, size)) << begin << " " << size;
  }
}

std::int64_t number(const JsonValue& object, const char* name) {
  return object.at(name).as_integer();
}

SourcePtr source_of(const JsonValue& order) {
  const SeqaxOrderOptions options = {
      .seed = number(order, "seed"),
      .batch_size = number(order, "batch_size"),
      .streams = number(order, "streams"),
      .read_blocks_per_shuffle_buffer = number(order, "read_blocks_per_shuffle_buffer"),
      .sequences_per_read_block = number(order, "sequences_per_read_block")};
  return seqax_source(
      std::make_shared<const FlatTokens>(kFolder + "/small.zarr", order.at("split").as_text()),
      {.order = options,
       .length = number(order, "length"),
       .packs_sequences = order.at("sequence_packing").as_bool(),
       .vocab_size = kVocab});
}

// Compares a row with the one of seqax's loader, 2 * id + is_seq_start.
void expect_row(const Batch& batch, std::size_t row, const JsonValue::Array& expected) {
  const std::size_t length = expected.size();
  const auto at = [&](std::string_view array, std::size_t i) {
    return batch.at(array).value().values<std::int32_t>()[row * length + i];
  };
  bool is_padding = false;
  for (std::size_t i = 0; i < length; ++i) {
    const std::int64_t value = expected[i].as_integer();
    const bool is_start = (value & 1) != 0;
    is_padding = is_padding || value == 1;  // the ids of the data set are positive
    EXPECT_EQ(at(kTargets, i), value >> 1);
    EXPECT_EQ(batch.at(kWeights).value().values<float>()[row * length + i], is_padding ? 0 : 1);
    if (is_padding) continue;
    EXPECT_EQ(at(kInputs, i), is_start || i == 0 ? 0 : at(kTargets, i - 1));
    EXPECT_EQ(at(kPositions, i), static_cast<std::int32_t>(i));
    EXPECT_EQ(at(kSegments, i), i == 0 ? 1 : at(kSegments, i - 1) + (is_start ? 1 : 0));
  }
}

TEST(GoldenFlatTokens, BatchesAreThoseOfSeqaxsLoader) {
  const JsonValue cases = read_json("order.json");
  ASSERT_EQ(cases.as_array().size(), 6U);
  for (const JsonValue& order : cases.as_array()) {
    const SourcePtr source = source_of(order);
    const JsonValue::Array& steps = order.at("steps").as_array();
    ASSERT_EQ(source->num_batches(), std::ssize(steps));
    expect_pure(*source, 3);
    for (std::int64_t step = std::ssize(steps) - 1; step >= 0; --step) {
      const JsonValue::Array& rows = steps[static_cast<std::size_t>(step)].as_array();
      const Batch batch = whole_batch(*source, step);
      for (std::size_t row = 0; row < rows.size(); ++row)
        expect_row(batch, row, rows[row].as_array());
    }
    EXPECT_THROW(whole_batch(*source, std::ssize(steps)), Error) << "seqax's data ends";
  }
}

class DamagedFlatTokens : public testing::Test {
 protected:
  DamagedFlatTokens() { fs::copy(kFolder + "/small.zarr", path(""), fs::copy_options::recursive); }
  fs::path path(const std::string& file) const { return folder_.path() / "copy.zarr" / file; }
  void replace(const std::string& file, const std::string& before, const std::string& after) const {
    std::string text = file_text(path(file));
    ASSERT_NE(text.find(before), text.npos) << before;
    text.replace(text.find(before), before.size(), after);
    std::ofstream(path(file), std::ios::binary) << text;
  }
  std::string refusal() const {
    try {
      const FlatTokens tokens(path("").string(), "train");
      std::vector<std::uint32_t> all(static_cast<std::size_t>(tokens.num_tokens()));
      tokens.read(0, all);
    } catch (const Error& error) {
      return str(error_code_name(error.code()), ": ", error.what());
    }
    return "no error";
  }

  TemporaryFolder folder_;
};

TEST_F(DamagedFlatTokens, LacksAGroupOrAnAttribute) {
  EXPECT_EQ(refusal(), "no error");
  replace("train/.zattrs", "max_token_id", "max_token");
  EXPECT_THAT(refusal(), HasSubstr("has no 'max_token_id'"));
  fs::remove_all(path("train"));
  EXPECT_THAT(refusal(), HasSubstr("has no group 'train'"));
}

TEST_F(DamagedFlatTokens, HasOtherArrays) {
  replace("train/encoded_tokens/.zarray", "<u4", "<i4");
  EXPECT_THAT(refusal(), HasSubstr("encoded_tokens: is s32[314], expected u32"));
}

TEST_F(DamagedFlatTokens, HasOtherSizes) {
  replace("train/encoded_tokens/.zarray", "314", "313");
  EXPECT_THAT(refusal(), HasSubstr("has 313 tokens, but its sequences end at 314"));
  replace("train/seq_starts/.zarray", "61", "61000000000000");
  EXPECT_THAT(refusal(), HasSubstr("data loss"));
}

TEST_F(DamagedFlatTokens, LacksAChunk) {
  fs::remove(path("train/encoded_tokens/3"));
  EXPECT_THAT(refusal(), HasSubstr("encoded_tokens/3: is missing"));
}

TEST_F(DamagedFlatTokens, HasADamagedChunk) {
  for (const char* file : {"train/encoded_tokens/1", "train/seq_starts/1"}) {
    const std::string good = file_text(path(file));
    for (std::size_t i = 0; i < good.size(); ++i) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ 0xff);
      std::ofstream(path(file), std::ios::binary) << bad;
      refusal();  // neither crashes nor hangs
    }
    std::ofstream(path(file), std::ios::binary) << good.substr(0, good.size() - 1);
    EXPECT_THAT(refusal(), HasSubstr(file));
    std::ofstream(path(file), std::ios::binary) << good;
  }
}

}  // namespace
}  // namespace meshwright::data
