// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/encoding/chat_tokens.h"

#include <algorithm>

#include "meshwright/base/error.h"

namespace meshwright::data {

using tokenizers::Id;
using tokenizers::SpecialText;

namespace {

bool uses_eos(const ChatFormat& format) {
  for (std::string_view text : {format.system, format.user, format.response, format.end})
    if (text.find("{eos}") != std::string_view::npos) return true;
  return false;
}

}  // namespace

ChatTokens::ChatTokens(const tokenizers::Tokenizer& tokenizer, const ChatFormat& format)
    : tokenizer_(tokenizer) {
  const std::string name = chat_template_name(format.name);
  for (std::string_view marker : format.special) {
    const std::optional<Id> id = tokenizer.find(marker);
    if (!id) {
      fail(ErrorCode::invalid_argument, "chat template ", name, " needs the special token '",
           marker, "', which the tokenizer (", tokenizer.description(), ") does not have");
    }
    special_.emplace(marker, *id);
  }
  if (uses_eos(format) && !tokenizer.special_tokens().eos) {
    fail(ErrorCode::invalid_argument, "chat template ", name,
         " needs an end-of-text token, which the tokenizer (", tokenizer.description(),
         ") does not have");
  }
}

std::optional<Id> ChatTokens::marker(const ChatPart& part) const {
  switch (part.kind) {
    case ChatPart::Kind::bos:
      return tokenizer_.special_tokens().bos;
    case ChatPart::Kind::eos:
      return tokenizer_.special_tokens().eos;
    case ChatPart::Kind::special:
      return special_.find(part.text)->second;
    case ChatPart::Kind::text:
      break;
  }
  return std::nullopt;
}

// Appends the tokens of the text between two markers. It is encoded in one piece, because the space
// before a word is part of its token. A response may begin after `prompt_size` bytes. If the tokens
// then do not begin with those of the prompt alone, which generation begins with, the response is
// encoded separately.
void ChatTokens::encode_run(std::string_view run,
                            std::size_t prompt_size,
                            EncodedRecord& out) const {
  if (run.empty()) return;
  const std::size_t begin = out.tokens.size();
  tokenizer_.encode(run, out.tokens, SpecialText::plain);
  if (prompt_size == run.size()) return out.weights.resize(out.tokens.size(), 0);
  if (prompt_size > 0) {
    std::vector<Id> prompt;
    tokenizer_.encode(run.substr(0, prompt_size), prompt, SpecialText::plain);
    const auto first = out.tokens.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto differs = std::mismatch(prompt.begin(), prompt.end(), first, out.tokens.end()).first;
    if (differs != prompt.end()) {
      out.tokens.resize(begin);
      out.tokens.insert(out.tokens.end(), prompt.begin(), prompt.end());
      tokenizer_.encode(run.substr(prompt_size), out.tokens, SpecialText::plain);
    }
    out.weights.resize(begin + prompt.size(), 0);
  }
  out.weights.resize(out.tokens.size(), 1);
}

void ChatTokens::encode(const std::vector<ChatPart>& parts,
                        int first_response,
                        EncodedRecord& out) const {
  std::string run;
  std::size_t prompt_size = 0;  // of run
  for (const ChatPart& part : parts) {
    const bool learnt = part.response >= first_response;
    if (part.kind == ChatPart::Kind::text) {
      run += part.text;
      if (!learnt) prompt_size = run.size();
      continue;
    }
    encode_run(run, prompt_size, out);
    run.clear();
    prompt_size = 0;
    const std::optional<Id> id = marker(part);
    if (!id) continue;
    out.tokens.push_back(*id);
    out.weights.push_back(learnt ? 1 : 0);
  }
  encode_run(run, prompt_size, out);
}

}  // namespace meshwright::data
