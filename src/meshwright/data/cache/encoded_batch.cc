// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/encoded_batch.h"

#include <algorithm>
#include <span>

#include "meshwright/base/digest.h"
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

EncodedDocument describe(const Record& record, const EncodedRecord& all, std::size_t begin) {
  const auto tokens = std::span(all.tokens).subspan(begin);
  EncodedDocument out{.end = std::ssize(all.tokens),
                      .place = {.number = record.number, .offset = record.offset},
                      .hash = hash_of_tokens(tokens)};
  std::uint64_t parts[] = {out.hash, tokens.size(), 0};
  if (!all.weights.empty())
    parts[2] = digest64(io::as_text(std::as_bytes(std::span(all.weights).subspan(begin))));
  out.digest = digest64(io::as_text(std::as_bytes(std::span(parts))));
  return out;
}

}  // namespace

EncodedBatch encode(const RecordBatch& batch, const RecordEncoder& encoder, std::int64_t first) {
  EncodedBatch out;
  out.documents.reserve(batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Record record = batch.record(i);
    if (record.number < first) continue;
    const std::size_t begin = out.content.tokens.size();
    try {
      encoder.encode(record, out.content);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::invalid_argument) throw;
      out.content.tokens.resize(begin);
      out.content.weights.resize(encoder.has_weights() ? begin : 0);
      out.rejected.push_back({.number = record.number,
                              .offset = record.offset,
                              .reason = error.what(),
                              .num_before = out.documents.size()});
      continue;
    }
    finish_document(encoder, out.content, begin);
    out.documents.push_back(describe(record, out.content, begin));
  }
  return out;
}

}  // namespace meshwright::data
