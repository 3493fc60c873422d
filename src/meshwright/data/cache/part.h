// SPDX-License-Identifier: Apache-2.0
// Internal to cache/: the part of a cache that holds the documents of one input file.
//
// Part 7 consists of these files; all numbers are little-endian:
//   00007.tokens     1, 2 or 4 bytes per token, depending on the vocabulary
//   00007.weights    1 byte per token, if the encoder has weights
//   00007.documents  a DocumentEntry per document
//   00007.json       a PartInfo; written last
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "meshwright/base/json.h"
#include "meshwright/base/json_value.h"
#include "meshwright/data/encoding/record_encoder.h"
#include "meshwright/data/records/record.h"
#include "meshwright/io/file_system.h"

namespace meshwright::data {

struct DocumentEntry {
  std::int64_t end = 0;     // in tokens from the beginning of the part
  std::int64_t record = 0;  // number in the input file
  std::int64_t offset = 0;  // in the uncompressed input file
  std::uint64_t hash = 0;   // hash_of_tokens()
};
static_assert(sizeof(DocumentEntry) == 32);

struct TokenFormat {
  int bytes_per_token = 4;
  bool has_weights = false;
};
TokenFormat token_format(const RecordEncoder& encoder);

struct PartInfo {
  std::int64_t num_tokens = 0;
  std::int64_t num_documents = 0;
  std::string documents_digest = {};
  std::string weights_digest = {};  // empty without weights
  RecordCounts counts = {};
  bool operator==(const PartInfo&) const = default;
};

constexpr std::string_view kTokens = "tokens";
constexpr std::string_view kWeights = "weights";
constexpr std::string_view kDocuments = "documents";
constexpr std::string_view kInfo = "json";
/// Returns "00007.tokens".
std::string part_path(std::size_t part, std::string_view kind);

void write_json(JsonWriter& json, const RecordCounts& counts);
void write_json(JsonWriter& json, const PartInfo& info);
/// Throws data_loss.
RecordCounts counts_from(const JsonValue& json);
PartInfo part_info_from(const JsonValue& json);

/// Throws data_loss or not_found unless the files of the part have the right sizes and the digest
/// of the documents is correct.
void check_part(const io::FileSystem& files,
                std::size_t part,
                const PartInfo& info,
                const TokenFormat& format);
/// Returns the description of a part; nullopt if the part is unfinished or damaged.
std::optional<PartInfo> find_part(const io::FileSystem& files,
                                  std::size_t part,
                                  const TokenFormat& format);

}  // namespace meshwright::data
