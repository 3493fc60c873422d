// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/data/survey/flaw_list.h"
#include "meshwright/data/survey/measured_documents.h"
#include "meshwright/data/survey/token_pieces.h"
#include "meshwright/data/text/token_rules.h"

namespace meshwright::data {
namespace {

using tokenizers::Id;
using tokenizers::Tokenizer;

bool is_damage(const Error& error) {
  return error.code() == ErrorCode::data_loss || error.code() == ErrorCode::unimplemented;
}

// Tokens that may occur, and what says so.
struct Limit {
  std::int64_t size = kMaxVocab;
  std::string name = {};

  void lower(std::int64_t other, std::string what) {
    if (other < size) *this = {other, std::move(what)};
  }
};

class TokenVerifier {
 public:
  TokenVerifier(const TokensConfig& config,
                const Tokenizer* tokenizer,
                const VerifyOptions& options)
      : config_(config), options_(options), out_(options.max_flaws) {
    if (tokenizer) limit_.lower(tokenizer->vocab_size(), "the size of the tokenizer's vocabulary");
    if (config.vocab) limit_.lower(*config.vocab, "data.vocab");
    if (options.vocab_size) limit_.lower(*options.vocab_size, "the size of the model's vocabulary");
  }

  VerifiedCorpus run() {
    const bool is_complete = read_split(config_.split, training_.get());
    if (holds_out_validation(config_)) read_split(kValidationSplit, nullptr);
    // Rows of what is left of damaged files say nothing. seqax's rows have no plan.
    if (is_complete && training_->num_documents() > 0 && !config_.seqax) verify_rows();
    return std::move(out_.found);
  }

 private:
  // Appends the documents to `measured`, if it is not null. Returns false if a file is damaged.
  bool read_split(const std::string& split, MeasuredDocuments* measured) {
    const std::int64_t num_flaws = out_.found.num_flaws;
    const TokenFileOptions options = token_file_options(config_, split);
    for (const FoundTokens& found : find_token_files(config_.path, options)) {
      ++out_.found.num_files;
      catching(found.path, [&] {
        for (const TokenFile& file : open_found(found, options))
          read(file, measured);
      });
    }
    return out_.found.num_flaws == num_flaws;
  }

  // Turns damage into a flaw.
  void catching(const std::string& path, const std::function<void()>& check) {
    try {
      check();
    } catch (const Error& error) {
      if (!is_damage(error)) throw;
      out_.add({.file = path, .what = error.what()});
    }
  }

  void read(const TokenFile& file, MeasuredDocuments* measured) {
    const std::string& path = file.tokens->name();
    const Limit limit = limit_of(file);
    std::string last_damage;     // a damaged chunk is read several times in a row
    std::int64_t last_bad = -1;  // document
    PieceHash hash;
    for_each_piece(
        file,
        [&](const TokenPiece& piece) {
          if (last_bad != piece.document && !check(file, limit, piece)) last_bad = piece.document;
          out_.found.num_tokens += std::ssize(piece.tokens);
          const std::optional<std::uint64_t> complete = hash.add(piece);
          if (complete && measured != nullptr)
            measured->add(file.length(piece.document), *complete);
          out_.found.num_documents += piece.is_last;
          if (options_.progress) options_.progress(path, out_.found.num_tokens);
        },
        [&](const Error& error) {
          if (last_damage == error.what()) return;
          last_damage = error.what();
          out_.add({.file = path, .what = last_damage});
        });
    // Without it, damage that was found above would be reported once more.
    if (file.verify && last_damage.empty()) catching(path, file.verify);
  }

  Limit limit_of(const TokenFile& file) const {
    Limit out = limit_;
    if (file.max_token) out.lower(*file.max_token + 1, "max_token_id + 1 of the data set");
    return out;
  }

  // Returns false if a token is no id, after reporting the first one.
  bool check(const TokenFile& file, const Limit& limit, const TokenPiece& piece) {
    const auto bad =
        std::ranges::find_if(piece.tokens, [&](Id id) { return id < 0 || id >= limit.size; });
    if (bad == piece.tokens.end()) return true;
    const std::int64_t position = piece.position + (bad - piece.tokens.begin());
    const std::string place = str("token ", position - file.begins[piece.document]);
    out_.add({.file = file.tokens->name(),
              .record = piece.document,
              .offset = file.tokens->byte_offset(position),
              .what = *bad < 0 ? str(place, " is negative or above 2147483647")
                               : str(place, " has the id ", *bad, ", which is not below ",
                                     limit.size, ", ", limit.name)});
    return false;
  }

  void verify_rows() {
    TextConfig settings = row_settings(config_);
    if (holds_out_validation(config_)) settings.held_out = 0;
    data::verify_rows(settings, training_, options_.seed, out_);
  }

  const TokensConfig& config_;
  const VerifyOptions& options_;
  Limit limit_;
  FlawList out_;
  std::shared_ptr<MeasuredDocuments> training_ = std::make_shared<MeasuredDocuments>(false);
};

}  // namespace

VerifiedCorpus verify_corpus(const TokensConfig& config,
                             const std::shared_ptr<const Tokenizer>& tokenizer,
                             const VerifyOptions& options) {
  return TokenVerifier(config, tokenizer.get(), options).run();
}

}  // namespace meshwright::data
