// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/encoding/prompt_encoder.h"

#include <algorithm>
#include <optional>

#include "meshwright/base/error.h"
#include "meshwright/tokenizers/open/open_tokenizer.h"

namespace meshwright::data {
namespace {

using tokenizers::Id;
using tokenizers::SpecialText;

std::optional<Id> bos_of_template(const tokenizers::Tokenizer& tokenizer) {
  const std::vector<Id> prefix = tokenizer.prefix();
  const std::optional<Id> bos = tokenizer.special_tokens().bos;
  const bool found = bos && std::find(prefix.begin(), prefix.end(), *bos) != prefix.end();
  return found ? bos : std::nullopt;
}

class PromptEncoder : public RecordEncoder {
 public:
  PromptEncoder(std::shared_ptr<const tokenizers::Tokenizer> tokenizer,
                const PromptOptions& options)
      : tokenizer_(std::move(tokenizer)), options_(options), bos_(bos_of_template(*tokenizer_)) {
    const std::optional<Id> eos = tokenizer_->special_tokens().eos;
    if (!eos) {
      fail(ErrorCode::invalid_argument, "the tokenizer (", tokenizer_->description(),
           ") has no end-of-text token, which must follow a completion");
    }
    eos_ = *eos;
  }

  std::string digest() const override {
    return str("prompt_completion ", options_.learn_prompt, ' ', tokenizer_digest(*tokenizer_));
  }
  std::int64_t vocab_size() const override { return tokenizer_->vocab_size(); }
  bool has_weights() const override { return true; }

  void encode(const Record& record, EncodedRecord& out) const override {
    if (record.fields.size() != 2) {
      fail(ErrorCode::invalid_argument, "the record has ", record.fields.size(),
           " fields, expected a prompt and a completion");
    }
    if (bos_) out.tokens.push_back(*bos_);
    tokenizer_->encode(record.fields[0], out.tokens, SpecialText::plain);
    out.weights.resize(out.tokens.size(), options_.learn_prompt ? 1 : 0);
    tokenizer_->encode(record.fields[1], out.tokens, SpecialText::plain);
    out.tokens.push_back(eos_);
    out.weights.resize(out.tokens.size(), 1);
  }

 private:
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer_;
  PromptOptions options_;
  std::optional<Id> bos_;
  Id eos_ = 0;
};

}  // namespace

RecordEncoderPtr prompt_completion_encoder(std::shared_ptr<const tokenizers::Tokenizer> tokenizer,
                                           const PromptOptions& options) {
  return std::make_shared<PromptEncoder>(std::move(tokenizer), options);
}

}  // namespace meshwright::data
