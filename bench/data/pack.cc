// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <utility>
#include <vector>

#include "data/clock.h"
#include "data/commands.h"
#include "meshwright/base/check.h"
#include "meshwright/data/cache/token_cache.h"
#include "meshwright/data/documents/rows.h"
#include "meshwright/data/documents/text_source.h"
#include "meshwright/tokenizers/open/open_tokenizer.h"

namespace meshwright::bench {
namespace {

constexpr std::int64_t kBatchSize = 16;

// Reads all rows, one after the other, and returns the number of their tokens.
std::int64_t read_rows(const data::Documents& documents,
                       const data::RowPlan& rows,
                       std::int64_t length) {
  std::int64_t num_tokens = 0;
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(length));
  for (std::int64_t row = 0; row < rows.num_rows(); ++row) {
    std::size_t at = 0;
    for (const data::Slice& slice : rows.row(row)) {
      const auto part = std::span(tokens).subspan(at, static_cast<std::size_t>(slice.length));
      documents.read(slice.document, slice.begin, part);
      at += part.size();
    }
    num_tokens += static_cast<std::int64_t>(at);
  }
  return num_tokens;
}

void make_batches(data::DocumentsPtr documents, data::RowPlanPtr rows, std::int64_t length) {
  const data::SourcePtr source =
      data::text_source(std::move(documents), std::move(rows),
                        {.order = {.batch_size = kBatchSize, .num_epochs = 1, .name = "packed"},
                         .length = length,
                         .context = data::Context::document});
  const std::int64_t num_batches = source->num_batches().value();
  for (std::int64_t step = 0; step < num_batches; ++step)
    whole_batch(*source, step);
}

}  // namespace

void pack_documents(std::span<const std::string> arguments) {
  MW_CHECK(arguments.size() == 6, "pack TOKENIZER FILE CACHE LENGTH whole|cut rows|batches");
  const std::int64_t length = std::stoll(arguments[3]);
  const bool is_whole = arguments[4] == "whole";
  const data::TokenCache cache = data::cached_tokens(
      data::find_data_files({arguments[1]}), {},
      data::text_encoder(tokenizers::open_tokenizer(arguments[0])), {.folder = arguments[2]});
  const Clock clock;
  const data::RowPlanPtr rows =
      is_whole ? data::packed_rows(cache.documents, length, {}, data::LongDocuments::truncate)
               : data::concatenated_rows(cache.documents, length, {});
  std::int64_t num_tokens = 0;
  if (arguments[5] == "batches")
    make_batches(cache.documents, rows, length - 1);
  else
    num_tokens = read_rows(*cache.documents, *rows, length);
  clock.print();
  std::printf("rows %lld\ntokens %lld\n", static_cast<long long>(rows->num_rows()),
              static_cast<long long>(num_tokens));
}

}  // namespace meshwright::bench
