// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/formats/tiktoken_kinds.h"

#include <array>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"

namespace meshwright::tokenizers {
namespace {

constexpr std::string_view kR50k =
    R"('(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s)";
constexpr std::string_view kCl100k =
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+)"
    R"(|\s++$|\s*[\r\n]|\s+(?!\S)|\s)";
constexpr std::string_view kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kO200k =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

using TokenList = std::vector<std::pair<std::string, Id>>;

constexpr std::string_view kEndOfText = "<|endoftext|>";

// Appends PREFIX0|>, PREFIX1|>, ... with ids up to `last`.
void append_numbered(TokenList& tokens, std::string_view prefix, int number, Id first, Id last) {
  for (Id id = first; id <= last; ++id)
    tokens.emplace_back(str(prefix, number++, "|>"), id);
}

TokenList with_ids(std::initializer_list<std::string_view> names, Id first) {
  TokenList out;
  for (const std::string_view name : names)
    out.emplace_back(name, first++);
  return out;
}

TokenList llama3_tokens() {
  TokenList out = with_ids({"<|begin_of_text|>", "<|end_of_text|>", "<|reserved_special_token_0|>",
                            "<|reserved_special_token_1|>", "<|finetune_right_pad_id|>",
                            "<|step_id|>", "<|start_header_id|>", "<|end_header_id|>", "<|eom_id|>",
                            "<|eot_id|>", "<|python_tag|>", "<|image|>"},
                           128000);
  append_numbered(out, "<|reserved_special_token_", 2, 128012, 128255);
  return out;
}

TokenList qwen_tokens() {
  TokenList out = with_ids({kEndOfText, "<|im_start|>", "<|im_end|>"}, 151643);
  append_numbered(out, "<|extra_", 0, 151646, 151850);
  return out;
}

TokenList harmony_tokens() {
  TokenList out = with_ids(
      {"<|startoftext|>", kEndOfText, "<|reserved_200000|>", "<|reserved_200001|>", "<|return|>",
       "<|constrain|>", "<|reserved_200004|>", "<|channel|>", "<|start|>", "<|end|>", "<|message|>",
       "<|reserved_200009|>", "<|reserved_200010|>", "<|reserved_200011|>", "<|call|>"},
      199998);
  append_numbered(out, "<|reserved_", 200013, 200013, 201087);
  // Two names of one token.
  out.emplace_back("<|endofprompt|>", 200018);
  return out;
}

std::vector<TiktokenKind> kinds() {
  const std::string end(kEndOfText);
  const TokenList gpt2 = {{end, 50256}};
  const auto kind = [&](std::string_view name, std::string_view pattern, std::int64_t ranks,
                        TokenList tokens, std::string bos = "") {
    return TiktokenKind{std::string(name), std::string(pattern), ranks,
                        std::move(tokens), std::move(bos),       end};
  };
  std::vector<TiktokenKind> out = {
      kind("gpt2", kR50k, 50256, gpt2),
      kind("r50k_base", kR50k, 50256, gpt2),
      kind("p50k_base", kR50k, 50280, gpt2),
      kind("p50k_edit", kR50k, 50280,
           {{end, 50256},
            {"<|fim_prefix|>", 50281},
            {"<|fim_middle|>", 50282},
            {"<|fim_suffix|>", 50283}}),
      kind("cl100k_base", kCl100k, 100256,
           {{end, 100257},
            {"<|fim_prefix|>", 100258},
            {"<|fim_middle|>", 100259},
            {"<|fim_suffix|>", 100260},
            {"<|endofprompt|>", 100276}}),
      kind("o200k_base", kO200k, 199998, {{end, 199999}, {"<|endofprompt|>", 200018}}),
      kind("o200k_harmony", kO200k, 199998, harmony_tokens(), "<|startoftext|>"),
      kind("llama3", kLlama3, 128000, llama3_tokens(), "<|begin_of_text|>"),
      kind("qwen", kQwen2, 151643, qwen_tokens()),
  };
  out[7].eos = "<|end_of_text|>";
  return out;
}

}  // namespace

TiktokenKind tiktoken_kind(std::string_view name) {
  std::string names;
  for (TiktokenKind& kind : kinds()) {
    if (kind.name == name) return std::move(kind);
    names += (names.empty() ? "" : ", ") + kind.name;
  }
  fail(ErrorCode::not_found, "no tiktoken vocabulary '", name, "'; known are ", names);
}

TiktokenKind tiktoken_kind_with_ranks(std::int64_t ranks) {
  for (TiktokenKind& kind : kinds())
    if (kind.ranks == ranks) return std::move(kind);
  fail(ErrorCode::not_found, "no known tiktoken vocabulary has ", ranks, " ranks");
}

}  // namespace meshwright::tokenizers
