// SPDX-License-Identifier: Apache-2.0
// Internal to cache/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "meshwright/data/cache/encoded_batch.h"
#include "meshwright/data/cache/part.h"
#include "meshwright/data/cache/part_writer.h"
#include "meshwright/io/file_system.h"

namespace meshwright::data {

/// Writes the documents of a corpus, in order, as parts. Where a part ends depends only on the
/// documents before it.
class CorpusWriter {
 public:
  /// Appends to `parts`, which end at `begin`. Arguments must outlive it. The first parts have
  /// `part_tokens` tokens, or a document more; the size doubles every kPartsOfOneSize parts, which
  /// keeps the number of parts small.
  CorpusWriter(io::FileSystem& folder,
               const PartFormat& format,
               std::int64_t part_tokens,
               const CorpusPosition& begin,
               std::vector<PartInfo>& parts);

  /// Appends the documents of a batch of input file `file`. `counts_of_files` are those of the
  /// files before. Returns false, without the rest of the batch, if an earlier build has written
  /// the part that follows.
  bool append(const EncodedBatch& batch, std::size_t file, const RecordCounts& counts_of_files);
  /// Ends the last part. `counts` are those of all files.
  void finish(std::size_t num_files, const RecordCounts& counts);

  static constexpr std::size_t kPartsOfOneSize = 32;

 private:
  void begin_part();
  void end_part();
  void enter_file(std::size_t file, const RecordCounts& counts_of_files);
  void count(const EncodedDocument& document);
  bool part_follows() const;
  std::int64_t part_limit() const;

  io::FileSystem& folder_;
  const PartFormat format_;
  const std::int64_t part_tokens_;
  std::vector<PartInfo>& parts_;
  CorpusPosition position_;
  std::vector<FileShare> files_;      // of the current part
  std::optional<PartWriter> writer_;  // of the current part
};

}  // namespace meshwright::data
