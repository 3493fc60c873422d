// SPDX-License-Identifier: Apache-2.0
// Internal to cache/: the parts of a cache. Each holds consecutive documents of the corpus.
//
// Part 7 consists of these files; all numbers are little-endian:
//   00007.tokens   1, 2 or 4 bytes per token, depending on the vocabulary
//   00007.weights  1 bit per token, from the lowest bit of each byte on, if the encoder has weights
//   00007.ends     s64 per document: its end, in tokens from the beginning of the part
//   00007.hashes   u64 per document: hash_of_tokens()
//   00007.origins  a RecordPlace per document
//   00007.json     a PartInfo; written last
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/data/encoding/record_encoder.h"
#include "meshwright/data/records/record.h"
#include "meshwright/io/file_system.h"

namespace meshwright::data {

struct RecordPlace {
  std::int64_t number = 0;  // in the input file
  std::int64_t offset = 0;  // in the uncompressed input file
  bool operator==(const RecordPlace&) const = default;
};

/// A place between two documents of the corpus, where a part ends and the next one begins.
struct CorpusPosition {
  std::size_t file = 0;               // the number of input files at the end of the corpus
  std::int64_t num_records = 0;       // of this file, that lie before
  std::uint64_t file_digest = 0;      // of the documents of this file that lie before
  std::int64_t num_rejected = 0;      // records of all files that the encoder rejected so far
  RecordCounts counts_of_files = {};  // of the files before, as the reader counts them
  bool operator==(const CorpusPosition&) const = default;
};

/// The documents of an input file that lie in a part.
struct FileShare {
  std::int64_t num_documents = 0;
  std::uint64_t digest = 0;  // of these and the documents of the file in earlier parts
  bool operator==(const FileShare&) const = default;
};

struct PartFormat {
  int bytes_per_token = 4;
  bool has_weights = false;
  bool operator==(const PartFormat&) const = default;
};
PartFormat part_format(const RecordEncoder& encoder);

struct PartInfo {
  PartFormat format = {};
  std::int64_t num_tokens = 0;
  std::int64_t num_documents = 0;
  CorpusPosition begin = {};
  CorpusPosition end = {};
  std::vector<FileShare> files = {};                             // from begin.file on
  std::map<std::string, std::string, std::less<>> digests = {};  // of its files, by kind
  bool operator==(const PartInfo&) const = default;
};

constexpr std::string_view kTokens = "tokens";
constexpr std::string_view kLossWeights = "weights";
constexpr std::string_view kEnds = "ends";
constexpr std::string_view kHashes = "hashes";
constexpr std::string_view kOrigins = "origins";
constexpr std::string_view kInfo = "json";
/// Returns "00007.tokens".
std::string part_path(std::size_t part, std::string_view kind);

/// Returns the size of each file of a part, by kind.
std::map<std::string_view, std::int64_t> part_sizes(const PartInfo& info);

/// Throws data_loss or not_found unless the files of a part have the right sizes and the digest of
/// the ends of documents is correct.
void check_part(const io::FileSystem& files, std::size_t part, const PartInfo& info);
/// Like check_part(), but reads all files and checks their digests.
void verify_part(const io::FileSystem& files, std::size_t part, const PartInfo& info);
/// Returns the description of a part; nullopt if there is none or it is damaged.
std::optional<PartInfo> find_part_info(const io::FileSystem& files, std::size_t part);
/// Like find_part_info(), but also nullopt if verify_part() does not accept the part.
std::optional<PartInfo> find_part(const io::FileSystem& files, std::size_t part);

}  // namespace meshwright::data
