// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/formats/json_decoder.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "meshwright/tokenizers/unicode/byte_chars.h"
#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::tokenizers {
namespace {

using Tokens = std::vector<std::string>;

std::string joined(const Tokens& tokens) {
  std::string out;
  for (const std::string& token : tokens)
    out += token;
  return out;
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (std::size_t at = 0;;) {
    const std::size_t found = from.empty() ? text.npos : text.find(from, at);
    out += text.substr(at, found - at);
    if (found == text.npos) return out;
    out += to;
    at = found + from.size();
  }
}

void decode_bytes(Tokens& tokens) {
  std::string bytes, storage;
  for (const std::string& token : tokens)
    bytes += bytes_of_chars(token).value_or(token);
  tokens.assign(1, std::string(to_valid_utf8(bytes, storage)));
}

std::optional<char> byte_of(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with('>')) return std::nullopt;
  // A sign is accepted, as in the original.
  const std::size_t digits = token[3] == '+' ? 4 : 3;
  unsigned byte = 0;
  const auto [end, error] = std::from_chars(token.data() + digits, token.data() + 5, byte, 16);
  if (error != std::errc() || end != token.data() + 5) return std::nullopt;
  return static_cast<char>(byte);
}

// Bytes that do not form valid UTF-8 become U+FFFD, one each.
void decode_byte_tokens(Tokens& tokens) {
  Tokens out;
  std::string bytes;
  const auto flush = [&] {
    if (bytes.empty()) return;
    if (utf8_prefix_size(bytes) == bytes.size())
      out.push_back(bytes);
    else
      out.insert(out.end(), bytes.size(), "\xef\xbf\xbd");
    bytes.clear();
  };
  for (std::string& token : tokens) {
    if (const std::optional<char> byte = byte_of(token)) {
      bytes += *byte;
      continue;
    }
    flush();
    out.push_back(std::move(token));
  }
  flush();
  tokens = std::move(out);
}

void decode_metaspace(const DecoderStep& step, Tokens& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i)
    tokens[i] = replaced(tokens[i], step.text, i == 0 && step.flag ? "" : " ");
}

void strip(const DecoderStep& step, std::string& token) {
  std::string_view rest = token;
  std::size_t stripped = 0;
  for (; stripped < step.start && rest.starts_with(step.text); ++stripped)
    rest.remove_prefix(step.text.size());
  for (std::size_t i = 0; i < step.stop && rest.ends_with(step.text); ++i)
    rest.remove_suffix(step.text.size());
  token = std::string(rest);
}

std::string cleaned(std::string text) {
  using Replacement = std::pair<std::string_view, std::string_view>;
  static constexpr std::array<Replacement, 11> kReplacements = {{
      {" .", "."},
      {" ?", "?"},
      {" !", "!"},
      {" ,", ","},
      {" ' ", "'"},
      {" n't", "n't"},
      {" 'm", "'m"},
      {" do not", " don't"},
      {" 's", "'s"},
      {" 've", "'ve"},
      {" 're", "'re"},
  }};
  for (const auto& [from, to] : kReplacements)
    text = replaced(text, from, to);
  return text;
}

void decode_wordpiece(const DecoderStep& step, Tokens& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::string& token = tokens[i];
    if (i != 0) {
      if (token.starts_with(step.text))
        token.erase(0, step.text.size());
      else
        token.insert(0, 1, ' ');
    }
    if (step.flag) token = cleaned(std::move(token));
  }
}

}  // namespace

std::optional<std::string> find_bytes(const DecoderStep& step, std::string_view token) {
  if (step.kind == DecoderStep::Kind::byte_level)
    return bytes_of_chars(token).value_or(std::string(token));
  if (step.kind == DecoderStep::Kind::byte_fallback)
    if (const std::optional<char> byte = byte_of(token)) return std::string(1, *byte);
  return std::nullopt;
}

bool is_byte_token(const std::vector<DecoderStep>& steps, std::string_view token) {
  return byte_of(token) &&
         std::ranges::count(steps, DecoderStep::Kind::byte_fallback, &DecoderStep::kind) > 0;
}

bool changes_end(const std::vector<DecoderStep>& steps) {
  using Kind = DecoderStep::Kind;
  bool is_fused = false;
  for (const DecoderStep& step : steps) {
    const bool sees_end = step.kind == Kind::replace || step.kind == Kind::wordpiece ||
                          (step.kind == Kind::strip && step.stop > 0);
    if (is_fused && sees_end) return true;
    is_fused = is_fused || step.kind == Kind::fuse || step.kind == Kind::byte_level;
  }
  return false;
}

void apply(const DecoderStep& step, Tokens& tokens) {
  using Kind = DecoderStep::Kind;
  switch (step.kind) {
    case Kind::byte_level:
      return decode_bytes(tokens);
    case Kind::byte_fallback:
      return decode_byte_tokens(tokens);
    case Kind::fuse:
      return tokens.assign(1, joined(tokens));
    case Kind::metaspace:
      return decode_metaspace(step, tokens);
    case Kind::wordpiece:
      return decode_wordpiece(step, tokens);
    case Kind::replace:
      for (std::string& token : tokens) {
        std::string out;
        step.replacement->normalize(token, out);
        token = std::move(out);
      }
      return;
    case Kind::strip:
      for (std::string& token : tokens)
        strip(step, token);
      return;
    case Kind::suffix:
      for (std::string& token : tokens)
        token = replaced(token, step.text, &token == &tokens.back() ? "" : " ");
      return;
  }
}

}  // namespace meshwright::tokenizers
