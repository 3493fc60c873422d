// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/str.h"
#include "meshwright/data/encoding/record_encoder.h"
#include "meshwright/tokenizers/open/open_tokenizer.h"

namespace meshwright::data {
namespace {

class TextEncoder : public RecordEncoder {
 public:
  TextEncoder(std::shared_ptr<const tokenizers::Tokenizer> tokenizer,
              tokenizers::SpecialText special)
      : tokenizer_(std::move(tokenizer)), special_(special) {}

  std::string digest() const override {
    return str("text ", special_ == tokenizers::SpecialText::parse ? "parse " : "plain ",
               tokenizer_digest(*tokenizer_));
  }
  std::int64_t vocab_size() const override { return tokenizer_->vocab_size(); }
  void encode(const Record& record, EncodedRecord& out) const override {
    tokenizer_->encode(record.text(), out.tokens, special_);
  }

 private:
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer_;
  tokenizers::SpecialText special_;
};

}  // namespace

RecordEncoderPtr text_encoder(std::shared_ptr<const tokenizers::Tokenizer> tokenizer,
                              tokenizers::SpecialText special) {
  return std::make_shared<TextEncoder>(std::move(tokenizer), special);
}

}  // namespace meshwright::data
