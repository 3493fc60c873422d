// SPDX-License-Identifier: Apache-2.0
// Turns the records of a corpus into the tokens of documents.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "meshwright/data/records/record.h"
#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::data {

/// The tokens of a document.
struct EncodedRecord {
  std::vector<std::int32_t> tokens;
  std::vector<std::uint8_t> weights;  // 0 or 1 per token; empty if every token is learnt

  void clear() {
    tokens.clear();
    weights.clear();
  }
};

/// Pure and thread-safe.
class RecordEncoder {
 public:
  virtual ~RecordEncoder() = default;

  /// Returns text that differs from another encoder's if any record could be encoded differently.
  /// Part of the key of a token cache.
  virtual std::string digest() const = 0;
  /// Returns one more than the largest token.
  virtual std::int64_t vocab_size() const = 0;
  /// True if encode() sets weights.
  virtual bool has_weights() const { return false; }
  /// Appends the document of a record to `out`. Throws invalid_argument if the record cannot be
  /// encoded, with the reason; callers add its file and number.
  virtual void encode(const Record& record, EncodedRecord& out) const = 0;
};
using RecordEncoderPtr = std::shared_ptr<const RecordEncoder>;

/// Encodes the first field of each record. Special tokens spelled out in the text are encoded as
/// plain text unless `special` says otherwise.
RecordEncoderPtr text_encoder(std::shared_ptr<const tokenizers::Tokenizer> tokenizer,
                              tokenizers::SpecialText special = tokenizers::SpecialText::plain);

}  // namespace meshwright::data
