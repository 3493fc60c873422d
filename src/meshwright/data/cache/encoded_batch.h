// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "meshwright/data/cache/part.h"
#include "meshwright/data/encoding/record_encoder.h"
#include "meshwright/data/records/record.h"

namespace meshwright::data {

struct EncodedDocument {
  std::int64_t end = 0;  // in tokens from the beginning of the batch
  RecordPlace place = {};
  std::uint64_t hash = 0;    // hash_of_tokens()
  std::uint64_t digest = 0;  // of tokens and weights
};

/// The documents of the records of a batch that the encoder accepts.
struct EncodedBatch {
  EncodedRecord content = {};  // all documents; one weight per token if has_weights()
  std::vector<EncodedDocument> documents = {};
  std::vector<CorruptRecord> rejected = {};  // by the encoder; num_before counts documents
};

/// Encodes the records from number `first` on. Throws internal if the encoder breaks its contract.
EncodedBatch encode(const RecordBatch& batch, const RecordEncoder& encoder, std::int64_t first = 0);

}  // namespace meshwright::data
