// SPDX-License-Identifier: Apache-2.0
// Finds the input files of a corpus.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace meshwright::data {

/// A plain file, described when it was found.
struct DataFile {
  std::string path;
  std::int64_t num_bytes = 0;
  std::int64_t modified_nanoseconds = 0;  // since 1970
  std::string sample_digest = {};  // of blocks at the beginning, in the middle and at the end

  bool operator==(const DataFile&) const = default;
};

/// Returns the files named by `patterns`, in the order of the patterns. A pattern is one of:
///   - the path of a file;
///   - a glob such as corpus/*.jsonl.zst or corpus/**/*.txt, sorted by path;
///   - a folder: its files of known kinds, sorted by path, without its subfolders.
/// Known kinds are .txt, .text, .md, .jsonl, .ndjson and .json, also with .gz or .zst, and
/// .parquet. Links are followed. A file that several patterns name is returned once.
///
/// Throws not_found for a pattern that names no file, with the nearest names; invalid_argument or
/// unavailable for a file that cannot be opened; data_loss for a pipe, socket or device, and for a
/// folder that a glob matches among files.
std::vector<DataFile> find_data_files(const std::vector<std::string>& patterns);

/// Returns the files and folders that a path or a glob names, sorted by path. Throws not_found if
/// there are none, with the nearest names.
std::vector<std::string> paths_matching(const std::string& pattern);

/// Describes one file. Throws as find_data_files().
DataFile describe_data_file(const std::string& path);

/// Returns text that differs if a path, size, time of modification or sampled block does. Files of
/// equal size and time whose blocks differ only between the samples are not told apart.
std::string fingerprint(const std::vector<DataFile>& files);

/// Throws data_loss if the size or time of modification of the file has changed.
void check_unchanged(const DataFile& file);

}  // namespace meshwright::data
