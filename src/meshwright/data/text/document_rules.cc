// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/document_rules.h"

#include <utility>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/base/threefry.h"

namespace meshwright::data {
namespace {

using tokenizers::Tokenizer;

std::optional<std::int32_t> bos(const TextConfig& config, const Tokenizer& tokenizer) {
  const std::optional<std::int32_t> token = tokenizer.special_tokens().bos;
  const std::vector<tokenizers::Id> prefix = tokenizer.prefix();
  const bool is_usual = token && !prefix.empty() && prefix.front() == *token;
  if (!config.add_bos.value_or(is_usual)) return std::nullopt;
  MW_CHECK(token, "data.add_bos: the tokenizer ", config.tokenizer, " has no BOS token");
  return token;
}

std::optional<std::int32_t> eos(const TextConfig& config, const Tokenizer& tokenizer) {
  const std::optional<std::int32_t> token = tokenizer.special_tokens().eos;
  if (!config.add_eos.value_or(token.has_value())) return std::nullopt;
  MW_CHECK(token, "data.add_eos: the tokenizer ", config.tokenizer, " has no EOS token");
  return token;
}

}  // namespace

Frame document_frame(const TextConfig& config, const Tokenizer& tokenizer) {
  if (config.has_instructions()) return {};  // the encoder adds them
  return {.before = bos(config, tokenizer), .after = eos(config, tokenizer)};
}

Split split_documents(const TextConfig& config, DocumentsPtr documents, const NumberStore& store) {
  MW_CHECK(documents->num_documents() > 0, "data.path: the files have no documents");
  if (config.held_out == 0) return {std::move(documents), nullptr};
  return hold_out(std::move(documents), config.held_out, store);
}

// Rows have one token more than a batch: the last one is only a target.
RowPlanPtr row_plan(const TextConfig& config,
                    const DocumentsPtr& documents,
                    std::int64_t length,
                    std::int64_t seed,
                    const NumberStore& store) {
  const threefry::KeyWords key = threefry::key(seed);
  switch (config.row_kind()) {
    case RowKind::concatenated:
      return concatenated_rows(documents, length + 1, key, store);
    case RowKind::packed:
      return packed_rows(documents, length + 1, key, config.long_documents, store);
    case RowKind::single:
      return single_rows(documents, length + 1, config.long_documents, store);
  }
  fail(ErrorCode::internal, "unknown kind of rows");
}

}  // namespace meshwright::data
