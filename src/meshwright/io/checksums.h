// SPDX-License-Identifier: Apache-2.0
// Lengths and checksums of files, taken while they are written and compared when they are read.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
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

/// Notes every file that is written and closed through it, and every folder that is made.
class RecordingFiles : public ForwardingFileSystem {
 public:
  explicit RecordingFiles(std::shared_ptr<FileSystem> inner, std::string folder = "");

  std::unique_ptr<WritableFile> create(std::string_view path) override;
  void make_folder(std::string_view path) override;

  FileRecords records() const;
  /// Syncs the root and all folders made, those above first.
  void sync_folders();

 private:
  struct Notes;
  struct RecordingWriter;

  std::shared_ptr<Notes> notes_;
};

/// Only the files of these records. One that is missing, has another length or other bytes throws
/// data_loss; it is read whole before anything of it is given out, even if a part was asked for,
/// which is then read once more.
class VerifiedFiles : public ForwardingFileSystem {
 public:
  VerifiedFiles(std::shared_ptr<FileSystem> inner, std::string folder, FileRecords records)
      : ForwardingFileSystem(std::move(inner), std::move(folder)), records_(std::move(records)) {}

  std::optional<FileInfo> find(std::string_view path) const override;
  std::unique_ptr<ReadableFile> open(std::string_view path) const override;

  const FileRecords& records() const { return records_; }
  /// Reads a file and compares, in little memory. Throws data_loss, unavailable.
  void verify(std::string_view path) const;

 private:
  class VerifyingReader;

  std::unique_ptr<VerifyingReader> open_reader(std::string_view path) const;

  FileRecords records_;
};

}  // namespace meshwright::io
