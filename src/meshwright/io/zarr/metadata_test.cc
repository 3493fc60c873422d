// SPDX-License-Identifier: Apache-2.0
// Metadata that is rejected. tests/zarr covers what is accepted.
#include "meshwright/io/zarr/metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/json_value.h"
#include "meshwright/io/io_testutil.h"

namespace meshwright::io::zarr {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kV2 =
    R"({"chunks":[2,3],"compressor":null,"dtype":"<f4","fill_value":null,"filters":null,)"
    R"("order":"C","shape":[4,3],"zarr_format":2})";
constexpr const char* kV3 =
    R"({"chunk_grid":{"configuration":{"chunk_shape":[2,3]},"name":"regular"},)"
    R"("chunk_key_encoding":{"name":"default"},"codecs":[{"name":"bytes"}],"data_type":"float32",)"
    R"("fill_value":0.0,"node_type":"array","shape":[4,3],"zarr_format":3})";

// Returns the text with one member of the outermost object replaced.
std::string with(const char* text, const std::string& member, const std::string& value) {
  JsonValue json = parse_json(text, "");
  for (auto& [name, content] : json.as_object()) {
    if (name == member) content = parse_json(value, "");
  }
  return to_string(json);
}

struct Refusal {
  std::string member, value, message;
  ErrorCode code = ErrorCode::data_loss;
};

void expect_refusal(const char* text, const Refusal& refusal) {
  bool is_v2 = text == kV2;
  std::string json = with(text, refusal.member, refusal.value);
  const Error error =
      thrown_by([&] { is_v2 ? parse_v2(json, "a/.zarray") : parse_v3(json, "a/zarr.json"); });
  EXPECT_EQ(error.code(), refusal.code) << json;
  EXPECT_THAT(error.message(), StartsWith(is_v2 ? "a/.zarray: " : "a/zarr.json: "));
  EXPECT_THAT(error.message(), HasSubstr(refusal.message)) << json;
}

TEST(ParseV2, TakesTheCaseThatRefusalsChange) {
  Metadata metadata = parse_v2(kV2, "a");
  EXPECT_EQ(metadata.type, (ArrayType{f32, {4, 3}}));
  EXPECT_EQ(metadata.grid(), (Dims{2, 1}));
  EXPECT_EQ(metadata.chunk_bytes(), 24);
  EXPECT_EQ(metadata.keys.key({1, 0}), "1.0");
}

TEST(ParseV2, RefusesWhatMakesNoSense) {
  for (const Refusal& refusal : std::vector<Refusal>{
           {"zarr_format", "3", "is not version 2"},
           {"shape", "[4]", "chunks [2,3] do not match the rank of shape [4]"},
           {"shape", "[-4,3]", "negative size"},
           {"shape", "[4.5,3]", "'shape': is a number, expected an integer"},
           {"shape", "\"x\"", "'shape': is a string, expected an array"},
           {"shape", "[4611686018427387904,4]", "more than"},
           {"chunks", "[0,3]", "a size below 1"},
           {"chunks", "[-1,3]", "a size below 1"},
           {"chunks", "[4611686018427387904,4]", "more than"},
           {"dtype", "\"<c8\"", "dtype '<c8' is not supported", ErrorCode::unimplemented},
           {"dtype", "[[\"a\",\"<f4\"]]", "'dtype': is an array, expected a string"},
           {"order", "\"K\"", "is 'K', expected 'C' or 'F'"},
           {"fill_value", "\"x\"", "'fill_value': 'x' is not a number"},
           {"compressor", "{\"id\":\"lzma\"}", "codec 'lzma' is not supported",
            ErrorCode::unimplemented},
           {"compressor", "{\"id\":\"zstd\",\"level\":99}", "level 99",
            ErrorCode::invalid_argument},
           {"filters", "[{\"id\":\"quantize\"}]", "filters other than", ErrorCode::unimplemented},
       }) {
    expect_refusal(kV2, refusal);
  }
}

TEST(ParseV3, TakesTheCaseThatRefusalsChange) {
  Metadata metadata = parse_v3(kV3, "a");
  EXPECT_EQ(metadata.type, (ArrayType{f32, {4, 3}}));
  EXPECT_EQ(metadata.keys.key({1, 0}), "c/1/0");
  EXPECT_EQ(metadata.keys.key({}), "c");
}

std::string nested_shards(int depth) {
  std::string codecs = R"([{"name":"bytes"}])";
  for (int i = 0; i < depth; ++i) {
    codecs
        .insert(0, R"([{"name":"sharding_indexed","configuration":{"chunk_shape":[2,3],"codecs":)")
        .append(R"(,"index_codecs":[{"name":"bytes"}]}}])");
  }
  return codecs;
}

TEST(ParseV3, RefusesWhatMakesNoSense) {
  for (const Refusal& refusal : std::vector<Refusal>{
           {"zarr_format", "2", "is not version 3"},
           {"node_type", "\"group\"", "is not an array"},
           {"data_type", "\"f32\"", "data_type \"f32\" is not supported", ErrorCode::unimplemented},
           {"chunk_grid", "{\"name\":\"rectilinear\"}", "'rectilinear' is not",
            ErrorCode::unimplemented},
           {"chunk_key_encoding", "{\"name\":\"x\"}", "'x' is not supported",
            ErrorCode::unimplemented},
           {"codecs", "[]", "no codec converts the array to bytes"},
           {"codecs", "[{\"name\":\"zstd\"},{\"name\":\"bytes\"}]", "'zstd' is in the wrong place"},
           {"codecs", R"([{"name":"transpose","configuration":{"order":[0,0]}},{"name":"bytes"}])",
            "is not a permutation"},
           {"codecs", R"([{"name":"bytes"},{"name":"zstd"},{"name":"gzip"}])", "two compressors",
            ErrorCode::unimplemented},
           {"codecs", nested_shards(4), "inner chunks nested deeper", ErrorCode::unimplemented},
       }) {
    expect_refusal(kV3, refusal);
  }
  EXPECT_NO_THROW(parse_v3(with(kV3, "codecs", nested_shards(3)), "a"));
}

TEST(ReadFill, GivesTheBytesOfEveryKindOfValue) {
  auto fill = [](const char* value) { return parse_v3(with(kV3, "fill_value", value), "a").fill; };
  std::vector<std::byte> nan = {std::byte{0}, std::byte{0}, std::byte{0xc0}, std::byte{0x7f}};
  EXPECT_EQ(fill("\"NaN\""), nan);
  EXPECT_EQ(fill("\"0x7fc00000\""), nan);
  std::vector<std::byte> one = {std::byte{0}, std::byte{0}, std::byte{0x80}, std::byte{0x3f}};
  EXPECT_EQ(fill("1"), one);
  EXPECT_EQ(fill("1.0"), one);
}

}  // namespace
}  // namespace meshwright::io::zarr
