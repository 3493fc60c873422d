// SPDX-License-Identifier: Apache-2.0
// Internal to cache/.
#pragma once

#include <cstdint>
#include <vector>

#include "meshwright/data/cache/part.h"
#include "meshwright/data/encoding/record_encoder.h"
#include "meshwright/data/records/record.h"

namespace meshwright::data {

/// The documents of a batch of records.
struct EncodedBatch {
  EncodedRecord content;                 // all documents; one weight per token if has_weights()
  std::vector<DocumentEntry> documents;  // ends count from the beginning of the batch
  std::vector<CorruptRecord> corrupt;    // records that the encoder rejected
};

/// Throws internal if the encoder breaks its contract.
EncodedBatch encode(const RecordBatch& batch, const RecordEncoder& encoder);

}  // namespace meshwright::data
