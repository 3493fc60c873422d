// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/encoded_batch.h"

#include <algorithm>
#include <span>

#include "meshwright/base/error.h"
#include "meshwright/data/documents/documents.h"

namespace meshwright::data {
namespace {

// Checks the tokens of one document and completes their weights.
void finish_document(const RecordEncoder& encoder, EncodedRecord& all, std::size_t begin) {
  const std::int64_t size = encoder.vocab_size();
  const auto tokens = std::span(all.tokens).subspan(begin);
  const auto bad =
      std::ranges::find_if(tokens, [&](std::int32_t id) { return id < 0 || id >= size; });
  if (bad != tokens.end())
    fail(ErrorCode::internal, "the encoder returned token ", *bad, ", not below ", size);
  if (encoder.has_weights() && all.weights.size() == begin)
    all.weights.resize(all.tokens.size(), 1);
  if (all.weights.size() != (encoder.has_weights() ? all.tokens.size() : 0)) {
    fail(ErrorCode::internal, "the encoder returned ", all.weights.size(), " weights for ",
         all.tokens.size(), " tokens");
  }
}

}  // namespace

EncodedBatch encode(const RecordBatch& batch, const RecordEncoder& encoder) {
  EncodedBatch out;
  out.documents.reserve(batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Record record = batch.record(i);
    const std::size_t begin = out.content.tokens.size();
    try {
      encoder.encode(record, out.content);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::invalid_argument) throw;
      out.content.tokens.resize(begin);
      out.content.weights.resize(encoder.has_weights() ? begin : 0);
      out.corrupt.push_back({.number = record.number,
                             .offset = record.offset,
                             .reason = error.what(),
                             .num_before = out.documents.size()});
      continue;
    }
    finish_document(encoder, out.content, begin);
    out.documents.push_back({.end = std::ssize(out.content.tokens),
                             .record = record.number,
                             .offset = record.offset,
                             .hash = hash_of_tokens(std::span(out.content.tokens).subspan(begin))});
  }
  return out;
}

}  // namespace meshwright::data
