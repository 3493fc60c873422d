// SPDX-License-Identifier: Apache-2.0
// Lengths and checksums of files, recorded on write and verified on read.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "meshwright/io/forwarding_file_system.h"

namespace meshwright::io {

struct FileRecord {
  std::uint64_t num_bytes = 0;
  std::uint32_t crc = 0;  // CRC-32C
  bool operator==(const FileRecord&) const = default;
};
using FileRecords = std::map<std::string, FileRecord, std::less<>>;

/// Records every file written and closed through this object, and every folder created through it.
class RecordingFiles : public ForwardingFileSystem {
 public:
  explicit RecordingFiles(std::shared_ptr<FileSystem> inner, std::string folder = "");

  std::unique_ptr<WritableFile> create(std::string_view path) override;
  void make_folder(std::string_view path) override;

  FileRecords records() const;
  /// Returns the record of a file; nullopt unless it was written or adopted.
  std::optional<FileRecord> find_record(std::string_view path) const;
  /// Records a file that was written earlier. Returns false, and records nothing, unless it has
  /// this length.
  bool adopt(const std::string& path, const FileRecord& record);
  /// Syncs the root and all created folders, parents first.
  void sync_folders();

 private:
  struct Notes;
  struct RecordingWriter;

  std::shared_ptr<Notes> notes_;
};

/// Exposes only the files listed in the records. Throws data_loss for a file that is missing or
/// whose length or checksum differs. A file is verified completely before any part of it is
/// returned; reading only a part then reads that part a second time.
class VerifiedFiles : public ForwardingFileSystem {
 public:
  VerifiedFiles(std::shared_ptr<FileSystem> inner, std::string folder, FileRecords records)
      : ForwardingFileSystem(std::move(inner), std::move(folder)), records_(std::move(records)) {}

  std::optional<FileInfo> find(std::string_view path) const override;
  std::unique_ptr<ReadableFile> open(std::string_view path) const override;

  const FileRecords& records() const { return records_; }
  /// Verifies a file in constant memory. Throws data_loss if it is damaged, and unavailable if
  /// reading fails.
  void verify(std::string_view path) const;

 private:
  class VerifyingReader;

  std::unique_ptr<VerifyingReader> open_reader(std::string_view path) const;

  FileRecords records_;
};

}  // namespace meshwright::io
