// SPDX-License-Identifier: Apache-2.0
// Internal to cache/: the descriptions of a whole cache.
//
//   inputs.json  the input files and the digest of the settings; written first
//   meta.json    a PartInfo for each part; written last
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/data/cache/part.h"
#include "meshwright/data/records/data_files.h"
#include "meshwright/io/file_system.h"

namespace meshwright::data {

struct CacheInputs {
  std::string settings_digest = {};
  std::vector<DataFile> files = {};
  std::filesystem::path working_folder = {};  // that relative paths refer to; empty if unknown
};

/// Makes the cache incomplete.
void begin_build(io::FileSystem& folder, const CacheInputs& inputs);
bool has_inputs(const io::FileSystem& folder);
/// Returns kTokenCacheFormat of the version that made the cache; nullopt if there is no description
/// that can be read.
std::optional<std::int64_t> find_cache_format(const io::FileSystem& folder);
/// Returns nullopt if there is no description of this version's format that can be read.
std::optional<CacheInputs> find_inputs(const io::FileSystem& folder);

/// Returns how the input files differ from those of the most similar cache in `caches` that has the
/// same settings: "b.jsonl has changed". Empty if no cache has a file with one of these names.
std::string changes_since_cached(const io::FileSystem& caches, const CacheInputs& inputs);

/// True if all parts have been written.
bool is_complete(const io::FileSystem& folder);
void write_parts(io::FileSystem& folder, const std::vector<PartInfo>& parts);
/// Returns nullopt if the cache is not complete. Throws data_loss unless its parts follow each
/// other and end with `num_files` input files.
std::optional<std::vector<PartInfo>> find_parts(const io::FileSystem& folder,
                                                std::size_t num_files);

}  // namespace meshwright::data
