// SPDX-License-Identifier: Apache-2.0
// Reads the files of a corpus as records.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "meshwright/data/records/data_files.h"
#include "meshwright/data/records/record.h"
#include "meshwright/data/records/record_settings.h"

namespace meshwright::data {

class ParallelUnits;
class UnitReader;
struct Unit;

/// Returns the records of all files in order:
///
///   RecordReader reader(find_data_files({"corpus/*.jsonl.zst"}), {.num_threads = 4});
///   while (std::optional<Record> record = reader.next()) use(record->text());
///
/// Compressed files are decompressed by threads of their own. With several threads, files are read
/// in parallel, and plain files of lines in ranges; records, their order, counts and errors are the
/// same. Memory does not depend on the size of the files, only on that of the largest record.
///
/// Corrupt records (see CorruptRecord, JsonFields, byte_stream.h) throw data_loss with file, record
/// number, offset and reason once skip_corrupt of them were skipped. Damage to a compressed stream
/// counts as one corrupt record and ends the file; damage to a Parquet file ends the row group.
/// The constructor throws invalid_argument if a Parquet file lacks a column that the settings name.
class RecordReader {
 public:
  RecordReader(std::vector<DataFile> files, const RecordSettings& settings);
  ~RecordReader();
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  /// Returns the next record, which is valid until the next call.
  std::optional<Record> next();
  /// Replaces `batch` by the next one, of about 256 KiB. Returns false at the end. A batch may have
  /// only records that were dropped or skipped. It may be moved to another thread, or passed to the
  /// next call to reuse its memory. Do not mix with next().
  bool next_batch(RecordBatch& batch);

  /// Counts the records of all batches so far.
  const RecordCounts& counts() const { return counts_; }
  /// Like counts(), for each file.
  const std::vector<RecordCounts>& file_counts() const { return file_counts_; }
  /// Returns the number of bytes of the files that were read so far, which is ahead of the batches.
  std::int64_t num_bytes_read() const { return num_bytes_read_->load(std::memory_order_relaxed); }
  const std::vector<DataFile>& files() const { return files_; }

 private:
  using Read = bool (UnitReader::*)(RecordBatch& batch);

  bool next_batch(RecordBatch& batch, Read read);
  bool read_unit(RecordBatch& batch, Read read);
  void number(RecordBatch& batch) const;
  void admit(RecordBatch& batch);

  const std::vector<DataFile> files_;
  const RecordSettings settings_;
  std::vector<Unit> units_;
  std::size_t unit_ = 0;                // the current one
  std::int64_t num_before_ = 0;         // records of the file before the current unit
  std::unique_ptr<UnitReader> reader_;  // of the current unit, with one thread
  std::unique_ptr<ParallelUnits> parallel_;
  const std::shared_ptr<std::atomic<std::int64_t>> num_bytes_read_;
  RecordCounts counts_;
  std::vector<RecordCounts> file_counts_;
  std::exception_ptr error_;  // to be thrown by the next call

  RecordBatch current_;  // for next()
  std::size_t num_used_ = 0;
};

}  // namespace meshwright::data
