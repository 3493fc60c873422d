// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "meshwright/tokenizers/normalize/normalizer.h"
#include "meshwright/tokenizers/split/pcre2_matcher.h"
#include "meshwright/tokenizers/split/to_pcre2.h"
#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::tokenizers {
namespace {

class ReplaceText final : public Normalizer {
 public:
  ReplaceText(std::string pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}

 private:
  bool keeps_start() const override {
    const auto first = static_cast<std::size_t>(decode_valid(pattern_.data()).length);
    return first == pattern_.size() && !content_.empty();
  }
  void normalize(std::string_view text, std::string& out) const override {
    out.clear();
    out.reserve(text.size() + text.size() / 4);
    for (std::size_t at = 0;;) {
      const std::size_t found = text.find(pattern_, at);
      out += text.substr(at, found - at);
      if (found == text.npos) return;
      out += content_;
      at = found + pattern_.size();
    }
  }

  std::string pattern_, content_;
};

class ReplaceRegex final : public Normalizer {
 public:
  ReplaceRegex(const std::string& pattern, std::string content)
      : pattern_(to_pcre2(pattern), pattern), content_(std::move(content)) {}

 private:
  bool keeps_start() const override { return false; }
  void normalize(std::string_view text, std::string& out) const override {
    out.clear();
    Pcre2Matcher matcher(pattern_, text);
    std::size_t at = 0;
    while (at < text.size()) {
      const auto match = matcher.find(at);
      if (!match.has_value()) break;
      const auto start = static_cast<std::size_t>(match->data() - text.data());
      out += text.substr(at, start - at);
      out += content_;
      at = start + match->size();
    }
    out += text.substr(at);
  }

  Pcre2Pattern pattern_;
  std::string content_;
};

}  // namespace

NormalizerPtr replace_text_normalizer(std::string pattern, std::string content) {
  return std::make_shared<ReplaceText>(std::move(pattern), std::move(content));
}

NormalizerPtr replace_regex_normalizer(const std::string& pattern, std::string content) {
  return std::make_shared<ReplaceRegex>(pattern, std::move(content));
}

}  // namespace meshwright::tokenizers
