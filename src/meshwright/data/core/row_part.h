// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace meshwright::data {

/// A place in the documents of a corpus.
struct Origin {
  std::string file;
  /// Number of the record in the file, counting all records, even skipped ones.
  std::int64_t record = 0;
  /// Offset of the record in the uncompressed file; of its row group's first column in Parquet.
  std::int64_t offset = 0;
  /// Number of a token in the document, counting BOS and EOS. In plain files of bytes, this is the
  /// offset of the byte.
  std::int64_t token = 0;
  bool operator==(const Origin&) const = default;
};

/// Consecutive tokens of a document in a row of a batch.
struct RowPart {
  std::int64_t begin = 0;  // the first one, in the row
  std::int64_t length = 0;
  Origin origin = {};  // of the first one
  bool operator==(const RowPart&) const = default;
};

}  // namespace meshwright::data
