// SPDX-License-Identifier: Apache-2.0
// The normalizers that look at one character at a time.
#include <utility>

#include "meshwright/tokenizers/normalize/normalizer.h"
#include "meshwright/tokenizers/unicode/byte_chars.h"
#include "meshwright/tokenizers/unicode/char_sets.h"
#include "meshwright/tokenizers/unicode/lowercase.h"
#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::tokenizers {
namespace {

/// Calls `visit` with each character's code point and bytes.
template <typename Visit>
void for_each_char(std::string_view text, const Visit& visit) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_valid(text.data() + at);
    const auto length = static_cast<std::size_t>(point.length);
    visit(point.code, text.substr(at, length));
    at += length;
  }
}

class Lowercase final : public Normalizer {
  bool keeps_start() const override { return true; }
  void normalize(std::string_view text, std::string& out) const override {
    out.clear();
    out.reserve(text.size());
    for_each_char(text, [&](char32_t code, std::string_view bytes) {
      if (is_ascii(bytes[0]))
        out += static_cast<char>(code >= 'A' && code <= 'Z' ? code + 32 : code);
      else
        append_lowercase(out, code);
    });
  }
};

class Strip final : public Normalizer {
 public:
  Strip(bool left, bool right) : left_(left), right_(right) {}

 private:
  bool keeps_start() const override { return !left_; }
  void normalize(std::string_view text, std::string& out) const override {
    const CharSets& sets = CharSets::get();
    const auto is_space = [&](const char* at) {
      return (sets.of(decode_valid(at).code) & kWhitespaceChars) != 0;
    };
    while (left_ && !text.empty() && is_space(text.data()))
      text.remove_prefix(static_cast<std::size_t>(decode_valid(text.data()).length));
    while (right_ && !text.empty()) {
      std::size_t last = text.size() - 1;
      while (is_continuation(text[last]))
        --last;
      if (!is_space(text.data() + last)) break;
      text = text.substr(0, last);
    }
    out = text;
  }

  bool left_, right_;
};

class StripAccents final : public Normalizer {
  bool keeps_start() const override { return false; }
  void normalize(std::string_view text, std::string& out) const override {
    const CharSets& sets = CharSets::get();
    out.clear();
    for_each_char(text, [&](char32_t code, std::string_view bytes) {
      if ((sets.of(code) & kCombiningMarks) == 0) out += bytes;
    });
  }
};

class Prepend final : public Normalizer {
 public:
  explicit Prepend(std::string prefix) : prefix_(std::move(prefix)) {}

 private:
  bool keeps_start() const override { return true; }
  void normalize(std::string_view text, std::string& out) const override {
    out.clear();
    if (text.empty()) return;
    out.reserve(prefix_.size() + text.size());
    out += prefix_;
    out += text;
  }

  std::string prefix_;
};

class Nmt final : public Normalizer {
  bool keeps_start() const override { return false; }
  void normalize(std::string_view text, std::string& out) const override {
    out.clear();
    for_each_char(text, [&](char32_t code, std::string_view bytes) {
      if (is_removed(code)) return;
      if (becomes_space(code))
        out += ' ';
      else
        out += bytes;
    });
  }
  static bool is_removed(char32_t code) {
    return (code >= 1 && code <= 8) || code == 0xb || (code >= 0xe && code <= 0x1f) ||
           code == 0x7f || code == 0x8f || code == 0x9f;
  }
  static bool becomes_space(char32_t code) {
    switch (code) {
      case 0x9:
      case 0xa:
      case 0xc:
      case 0xd:
      case 0x1680:
      case 0x2028:
      case 0x2029:
      case 0x2581:
      case 0xfeff:
      case 0xfffd:
        return true;
      default:
        return code >= 0x200b && code <= 0x200f;
    }
  }
};

class ByteLevel final : public Normalizer {
  bool keeps_start() const override { return true; }
  void normalize(std::string_view text, std::string& out) const override {
    out.clear();
    append_byte_chars(text, out);
  }
};

}  // namespace

NormalizerPtr lowercase_normalizer() {
  return std::make_shared<Lowercase>();
}

NormalizerPtr strip_normalizer(bool left, bool right) {
  return std::make_shared<Strip>(left, right);
}

NormalizerPtr strip_accents_normalizer() {
  return std::make_shared<StripAccents>();
}

NormalizerPtr prepend_normalizer(std::string prefix) {
  return std::make_shared<Prepend>(std::move(prefix));
}

NormalizerPtr nmt_normalizer() {
  return std::make_shared<Nmt>();
}

NormalizerPtr byte_level_normalizer() {
  return std::make_shared<ByteLevel>();
}

}  // namespace meshwright::tokenizers
