// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/text_corpus.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/log.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/data/core/on_demand.h"
#include "meshwright/data/core/read_timeout.h"
#include "meshwright/data/encoding/chat_encoder.h"
#include "meshwright/data/records/data_files.h"
#include "meshwright/data/text/document_rules.h"
#include "meshwright/data/text/tokenizer_codec.h"
#include "meshwright/tokenizers/open/byte_tokenizer.h"
#include "meshwright/tokenizers/open/open_tokenizer.h"

namespace meshwright::data {
namespace {

constexpr char kName[] = "text";
constexpr char kHeldOutName[] = "held_out_text";

TokenizerWithEnds open_tokenizer(const TextConfig& config,
                                 const std::string& run_folder,
                                 DataUse use) {
  if (config.tokenizer == kBytes) return {tokenizers::byte_tokenizer()};
  std::error_code ignored;
  const bool exists = std::filesystem::exists(config.tokenizer, ignored);
  if (use == DataUse::spec_only || !exists) {
    TokenizerWithEnds kept = open_kept_tokenizer(run_folder);
    if (kept.tokenizer && !exists)
      log_info(config.tokenizer, " does not exist; using the copy in ", run_folder);
    if (kept.tokenizer) return kept;
  }
  return open_with_ends(config.tokenizer);
}

}  // namespace

TextCorpus::TextCorpus(TextConfig config,
                       std::int64_t seed,
                       std::string run_folder,
                       DataUse use,
                       TokenizerWithEnds tokenizer,
                       std::shared_ptr<const DocumentOpener> opener)
    : config_(std::move(config)),
      seed_(seed),
      run_folder_(std::move(run_folder)),
      use_(use),
      tokenizer_(tokenizer.tokenizer ? std::move(tokenizer)
                                     : open_tokenizer(config_, run_folder_, use)),
      opener_(std::move(opener)),
      opened_([this] { return open(); }) {}

TextCodec TextCorpus::codec() const {
  TextCodec out = config_.chat ? chat_codec(tokenizer_.tokenizer, config_.chat->chat_template)
                               : plain_codec(tokenizer_.tokenizer, before_prompts());
  for (const tokenizers::Id token : tokenizer_.end_tokens)
    add_end_token(token, out.end_tokens);
  if (config_.tokenizer.empty()) {  // numbers of tokens are no text
    out.token_sizes = nullptr;
    out.find_token = nullptr;
  }
  return out;
}

std::vector<tokenizers::Id> TextCorpus::before_prompts() const {
  if (config_.prompts) return tokenizer().prefix();
  const Frame frame = document_frame(config_, tokenizer());
  return frame.before ? std::vector{*frame.before} : std::vector<tokenizers::Id>();
}

SourcePtr TextCorpus::training() const {
  BatchSpec batch = spec(config_.batch_size, config_.length);
  if (use_ != DataUse::batches) return spec_only(kName, std::move(batch));
  return on_demand(kName, std::move(batch),
                   [self = shared_from_this()] { return self->opened_training(); });
}

SourcePtr TextCorpus::evaluation(const HeldOutTextConfig& evaluation) const {
  MW_CHECK(
      config_.held_out > 0 || !evaluation.path.empty(),
      "data.held_out is 0, so held_out_text has nothing to evaluate on\nset data.held_out, give "
      "the evaluator's data a path, or remove the evaluator: evaluators.NAME = none");
  BatchSpec batch = spec(evaluation.batch_size, evaluation.length.value_or(config_.length));
  batch[kExampleWeight] = array_spec(f32, {evaluation.batch_size}, "batch");
  if (use_ == DataUse::spec_only) return spec_only(kHeldOutName, std::move(batch));
  // Reports a path that names no file before the training data is tokenized.
  if (!opener_ && !evaluation.path.empty()) find_data_files(evaluation.path);
  return on_demand(kHeldOutName, std::move(batch), [self = shared_from_this(), evaluation] {
    return self->opened_evaluation(evaluation);
  });
}

BatchSpec TextCorpus::spec(std::int64_t batch_size, std::int64_t length) const {
  return lm_batch_spec(batch_size, length,
                       {.has_segments = config_.row_context() == Context::document});
}

RowPlanPtr TextCorpus::rows(const DocumentsPtr& documents,
                            std::int64_t length,
                            std::string_view what) const {
  const std::int64_t num_tokens = documents->num_tokens();
  const bool rows_are_full = config_.row_kind() == RowKind::concatenated;
  MW_CHECK(!rows_are_full || num_tokens > length, what, ": ", num_tokens,
           " tokens do not fill a row of ", length + 1, "\nuse more text, or a length of at most ",
           std::max<std::int64_t>(1, num_tokens - 1));
  const NumberStore store = index_store(config_, run_folder_, *documents);
  return row_plan(config_, documents, length, seed_, store);
}

SourcePtr TextCorpus::opened_training() const {
  const DocumentsPtr& training = documents().training;
  const std::optional<std::int64_t> num_skipped_records = opened_.get().num_skipped_records;
  RowPlanPtr plan = rows(training, config_.length, "data");
  log_info("data: ", num_tokens(*training), " tokens to train on, ",
           documents().held_out ? num_tokens(*documents().held_out) : 0, " held out; ",
           plan->num_rows(), " rows of ", config_.length, " tokens");
  return text_source(training, std::move(plan),
                     {.order = {.batch_size = config_.batch_size,
                                .seed = seed_,
                                .shuffle = config_.shuffle,
                                .shuffle_window = config_.shuffle_window,
                                .num_epochs = config_.num_epochs,
                                .name = kName},
                      .length = config_.length,
                      .context = config_.row_context(),
                      .num_skipped_records = num_skipped_records});
}

SourcePtr TextCorpus::opened_evaluation(const HeldOutTextConfig& evaluation) const {
  const std::int64_t length = evaluation.length.value_or(config_.length);
  const DocumentsPtr chosen =
      evaluation.path.empty() ? documents().held_out : framed_files(evaluation.path).documents;
  const std::string what = evaluation.path.empty()
                               ? "held-out text"
                               : str("evaluation on ", join(evaluation.path, ", "));
  return text_source(chosen, rows(chosen, length, what),
                     {.order = {.batch_size = evaluation.batch_size,
                                .shuffle = false,
                                .remainder = Remainder::pad,
                                .num_epochs = 1,
                                .name = kHeldOutName},
                      .length = length,
                      .context = config_.row_context()});
}

TextFiles TextCorpus::framed_files(const config::OneOrMore<std::string>& path) const {
  if (opener_) return {opener_->open(path, tokenizer())};
  TextFiles out = with_read_timeout<TextFiles>(
      config_.read_timeout_seconds,
      [config = config_, path, tokenizer = tokenizer_.tokenizer, run_folder = run_folder_] {
        return open_text(config, path, tokenizer, run_folder);
      });
  const Frame frame = document_frame(config_, tokenizer());
  out.documents = framed(std::move(out.documents), frame.before, frame.after);
  return out;
}

TextCorpus::Opened TextCorpus::open() const {
  if (opener_) return {opener_->open_split(tokenizer())};
  TextFiles all = framed_files(config_.path);
  const NumberStore store = index_store(config_, run_folder_, *all.documents);
  return {split_documents(config_, std::move(all.documents), store), all.num_skipped_records};
}

}  // namespace meshwright::data
