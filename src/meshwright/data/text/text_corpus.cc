// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/text_corpus.h"

#include <filesystem>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/log.h"
#include "meshwright/base/threefry.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/data/core/on_demand.h"
#include "meshwright/data/documents/rows.h"
#include "meshwright/data/encoding/chat_encoder.h"
#include "meshwright/data/text/kept_tokenizer.h"
#include "meshwright/data/text/open_text.h"
#include "meshwright/tokenizers/open/byte_tokenizer.h"
#include "meshwright/tokenizers/open/open_tokenizer.h"

namespace meshwright::data {
namespace {

using tokenizers::Tokenizer;

constexpr char kName[] = "text";
constexpr char kHeldOutName[] = "held_out_text";

std::shared_ptr<const Tokenizer> open_tokenizer(const TextConfig& config,
                                                const std::string& run_folder,
                                                DataUse use) {
  if (config.tokenizer == kBytes) return tokenizers::byte_tokenizer();
  std::error_code ignored;
  const bool exists = std::filesystem::exists(config.tokenizer, ignored);
  if (use == DataUse::spec_only || !exists) {
    if (std::shared_ptr<const Tokenizer> kept = open_kept_tokenizer(run_folder)) {
      if (!exists) log_info(config.tokenizer, " does not exist; using the copy in ", run_folder);
      return kept;
    }
  }
  return tokenizers::open_tokenizer(config.tokenizer);
}

// Returns the token to put before each document.
std::optional<std::int32_t> bos(const TextConfig& config, const Tokenizer& tokenizer) {
  const std::optional<std::int32_t> token = tokenizer.special_tokens().bos;
  const std::vector<tokenizers::Id> prefix = tokenizer.prefix();
  const bool is_usual = token && !prefix.empty() && prefix.front() == *token;
  if (config.has_instructions()) return std::nullopt;  // the encoder adds it
  if (!config.add_bos.value_or(is_usual)) return std::nullopt;
  MW_CHECK(token, "data.add_bos: the tokenizer ", config.tokenizer, " has no BOS token");
  return token;
}

std::optional<std::int32_t> eos(const TextConfig& config, const Tokenizer& tokenizer) {
  const std::optional<std::int32_t> token = tokenizer.special_tokens().eos;
  if (config.has_instructions()) return std::nullopt;
  if (!config.add_eos.value_or(token.has_value())) return std::nullopt;
  MW_CHECK(token, "data.add_eos: the tokenizer ", config.tokenizer, " has no EOS token");
  return token;
}

// A model may have more tokens than the tokenizer, to make its vocabulary a round number: these
// give no text.
std::function<std::string(std::span<const std::int32_t>)> decoder(
    const std::shared_ptr<const Tokenizer>& tokenizer) {
  return [tokenizer](std::span<const std::int32_t> tokens) {
    std::vector<std::int32_t> known;
    for (const std::int32_t token : tokens)
      if (token < tokenizer->vocab_size()) known.push_back(token);
    return tokenizer->decode(known);
  };
}

// Prompts are messages of a user.
TextCodec chat_codec(const std::shared_ptr<const Tokenizer>& tokenizer,
                     ChatTemplate chat_template) {
  TextCodec out;
  out.name = str("messages of a user, for ", tokenizer->description());
  out.encode = [tokenizer, chat_template](const std::string& text) {
    const Message message = {.role = "user", .content = text};
    return chat_prompt(*tokenizer, chat_template, {&message, 1});
  };
  out.decode = decoder(tokenizer);
  const std::vector<tokenizers::Id> stops = chat_stop_tokens(*tokenizer, chat_template);
  if (!stops.empty()) out.end_token = stops.front();
  return out;
}

}  // namespace

TextCorpus::TextCorpus(TextConfig config, std::int64_t seed, std::string run_folder, DataUse use)
    : config_(std::move(config)),
      seed_(seed),
      run_folder_(std::move(run_folder)),
      use_(use),
      tokenizer_(open_tokenizer(config_, run_folder_, use)),
      documents_([this] { return split(); }) {}

TextCodec TextCorpus::codec() const {
  if (config_.chat) return chat_codec(tokenizer_, config_.chat->chat_template);
  TextCodec out;
  out.name = str("text for ", tokenizer_->description());
  std::vector<std::int32_t> before;
  if (config_.prompts) {
    before = tokenizer_->prefix();
  } else if (const std::optional<std::int32_t> token = bos(config_, *tokenizer_)) {
    before = {*token};
  }
  out.encode = [tokenizer = tokenizer_, before](const std::string& text) {
    std::vector<std::int32_t> ids = before;
    tokenizer->encode(text, ids);
    MW_CHECK(!ids.empty(), "the prompt is empty");
    return ids;
  };
  out.decode = decoder(tokenizer_);
  out.end_token = tokenizer_->special_tokens().eos;
  return out;
}

SourcePtr TextCorpus::training() const {
  BatchSpec batch = spec(config_.batch_size, config_.length);
  if (use_ == DataUse::spec_only) return spec_only(kName, std::move(batch));
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
  return on_demand(kHeldOutName, std::move(batch), [self = shared_from_this(), evaluation] {
    return self->opened_evaluation(evaluation);
  });
}

BatchSpec TextCorpus::spec(std::int64_t batch_size, std::int64_t length) const {
  return lm_batch_spec(batch_size, length,
                       {.has_segments = config_.row_context() == Context::document});
}

// Rows have one token more than a batch: the last one is only a target.
RowPlanPtr TextCorpus::rows(const DocumentsPtr& documents, std::int64_t length) const {
  const threefry::KeyWords key = threefry::key(seed_);
  switch (config_.row_kind()) {
    case RowKind::concatenated:
      return concatenated_rows(documents, length + 1, key);
    case RowKind::packed:
      return packed_rows(documents, length + 1, key, config_.long_documents);
    case RowKind::single:
      return single_rows(documents, length + 1, config_.long_documents);
  }
  fail(ErrorCode::internal, "unknown kind of rows");
}

SourcePtr TextCorpus::opened_training() const {
  const DocumentsPtr& training = documents().training;
  RowPlanPtr plan = rows(training, config_.length);
  log_info("data: ", num_tokens(*training), " tokens to train on, ",
           documents().held_out ? num_tokens(*documents().held_out) : 0, " held out; ",
           plan->num_rows(), " rows of ", config_.length, " tokens");
  return text_source(training, std::move(plan),
                     {.order = {.batch_size = config_.batch_size,
                                .seed = seed_,
                                .shuffle = config_.shuffle,
                                .num_epochs = config_.num_epochs,
                                .name = kName},
                      .length = config_.length,
                      .context = config_.row_context()});
}

SourcePtr TextCorpus::opened_evaluation(const HeldOutTextConfig& evaluation) const {
  const std::int64_t length = evaluation.length.value_or(config_.length);
  const DocumentsPtr chosen =
      evaluation.path.empty() ? documents().held_out : framed_documents(evaluation.path);
  return text_source(chosen, rows(chosen, length),
                     {.order = {.batch_size = evaluation.batch_size,
                                .shuffle = false,
                                .remainder = Remainder::pad,
                                .num_epochs = 1,
                                .name = kHeldOutName},
                      .length = length,
                      .context = config_.row_context()});
}

DocumentsPtr TextCorpus::framed_documents(const config::OneOrMore<std::string>& path) const {
  DocumentsPtr documents = open_text(config_, path, tokenizer_, run_folder_);
  const std::optional<std::int32_t> before = bos(config_, *tokenizer_);
  const std::optional<std::int32_t> after = eos(config_, *tokenizer_);
  return before || after ? framed(std::move(documents), before, after) : documents;
}

Split TextCorpus::split() const {
  DocumentsPtr all = framed_documents(config_.path);
  MW_CHECK(all->num_documents() > 0, "data.path: the files have no documents");
  if (config_.held_out == 0) return {std::move(all), nullptr};
  return hold_out(std::move(all), config_.held_out);
}

}  // namespace meshwright::data
