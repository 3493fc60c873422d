// SPDX-License-Identifier: Apache-2.0
// Encodes the records of files without keeping their tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <vector>

#include "meshwright/base/ordered_tasks.h"
#include "meshwright/data/cache/encoded_batch.h"
#include "meshwright/data/encoding/record_encoder.h"
#include "meshwright/data/records/record_reader.h"
#include "meshwright/data/text/record_files.h"

namespace meshwright::data {

/// A batch of records and the documents of those that the encoder accepted, both in order.
struct EncodedRecords {
  RecordBatch records;
  EncodedBatch encoded;

  /// Calls `use(record, tokens, weights)` for each document. There are no weights if every token is
  /// learnt.
  template <typename Use>
  void for_each_document(Use use) const {
    const std::span<const std::int32_t> tokens = encoded.content.tokens;
    const std::span<const std::uint8_t> weights = encoded.content.weights;
    std::size_t record = 0, begin = 0;
    for (const EncodedDocument& document : encoded.documents) {
      while (records.record(record).number != document.place.number)
        ++record;
      const std::size_t size = static_cast<std::size_t>(document.end) - begin;
      use(records.record(record), tokens.subspan(begin, size),
          weights.empty() ? weights : weights.subspan(begin, size));
      begin += size;
    }
  }
};

/// Returns the records of files and their documents in order. The documents are those that a token
/// cache of the files would have. Memory: a few batches of records per thread.
class EncodedReader {
 public:
  /// Encodes on `num_threads` threads; 0: as many as cores.
  EncodedReader(const RecordFiles& part, RecordEncoderPtr encoder, int num_threads);

  /// Returns the next batch; nullopt at the end. Throws like RecordReader. A record that the
  /// encoder rejects counts as corrupt.
  std::optional<EncodedRecords> next();

  const RecordReader& reader() const { return reader_; }

 private:
  void fill();
  void check_corrupt(const EncodedRecords& batch);

  const RecordEncoderPtr encoder_;
  const std::int64_t skip_corrupt_;
  std::int64_t num_corrupt_ = 0;  // in the batches that next() returned
  RecordReader reader_;
  bool is_at_end_ = false;
  std::exception_ptr error_;  // of the reader, to be thrown after the batches before it
  OrderedTasks<EncodedRecords> tasks_;
};

}  // namespace meshwright::data
