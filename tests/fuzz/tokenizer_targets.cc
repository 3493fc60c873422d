// SPDX-License-Identifier: Apache-2.0
#include "tokenizer_targets.h"

#include <memory>
#include <string>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/tokenizers/formats/sentencepiece.h"
#include "meshwright/tokenizers/formats/tiktoken.h"
#include "meshwright/tokenizers/formats/tokenizer_json.h"

namespace meshwright::fuzz {
namespace {

using tokenizers::Id;
using tokenizers::Tokenizer;

// Letters, marks, invalid bytes and runs, then pieces that small vocabularies have.
constexpr std::string_view kText =
    "the  cat's caf\xc3\xa9 e\xcc\x81 \xe4\xb8\xad\xe6\x96\x87 \xff\xc0 12345\n\n<s>aaaaaaaaaa "
    "lowest "
    "\xf0\x9f\x91\x8d hello\r\n";

// Uses all functions of a tokenizer. Ids must be those of the vocabulary.
void use(const Tokenizer& tokenizer) {
  for (const auto special : {tokenizers::SpecialText::parse, tokenizers::SpecialText::plain}) {
    std::vector<Id> ids = tokenizer.prefix();
    tokenizer.encode(kText, ids, special);
    for (const Id id : ids) {
      if (id < 0 || id >= tokenizer.vocab_size())
        fail(ErrorCode::internal, "the id ", id, " is not in the vocabulary");
      tokenizer.piece(id);
    }
    tokenizer.decode(ids);
  }
  tokenizer.find("the");
  tokenizer.description();
}

}  // namespace

void read_tokenizer_json(std::string_view bytes) {
  use(*tokenizers::read_tokenizer_json(std::string(bytes), "input"));
}

void read_sentencepiece(std::string_view bytes) {
  use(*tokenizers::sentencepiece_tokenizer(std::string(bytes), "input"));
}

void read_tiktoken(std::string_view bytes) {
  use(*tokenizers::read_tiktoken(std::string(bytes), "input"));
}

}  // namespace meshwright::fuzz
