// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include <utf8proc.h>

#include "meshwright/tokenizers/normalize/normalizer.h"
#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::tokenizers {
namespace {

// Characters that the tables of `tokenizers` do not know: no decomposition, no combining class.
constexpr std::array<std::array<char32_t, 2>, 44> kUnknown = {{
    {0x7fd, 0x7fd},     {0x898, 0x89f},     {0x8ca, 0x8d3},     {0x9fe, 0x9fe},
    {0xc3c, 0xc3c},     {0xd3b, 0xd3c},     {0xeba, 0xeba},     {0x1715, 0x1715},
    {0x1abf, 0x1ace},   {0x1df6, 0x1dfa},   {0x32ff, 0x32ff},   {0xa7f2, 0xa7f4},
    {0xa82c, 0xa82c},   {0xab69, 0xab69},   {0x10781, 0x10785}, {0x10787, 0x107b0},
    {0x107b2, 0x107ba}, {0x10d24, 0x10d27}, {0x10eab, 0x10eac}, {0x10efd, 0x10eff},
    {0x10f46, 0x10f50}, {0x10f82, 0x10f85}, {0x11070, 0x11070}, {0x1133b, 0x1133b},
    {0x1145e, 0x1145e}, {0x11839, 0x1183a}, {0x11930, 0x11930}, {0x11938, 0x11938},
    {0x1193d, 0x1193e}, {0x11943, 0x11943}, {0x119e0, 0x119e0}, {0x11a34, 0x11a34},
    {0x11a47, 0x11a47}, {0x11a99, 0x11a99}, {0x11d42, 0x11d42}, {0x11d44, 0x11d45},
    {0x11d97, 0x11d97}, {0x11f41, 0x11f42}, {0x16ff0, 0x16ff1}, {0x1e08f, 0x1e08f},
    {0x1e130, 0x1e136}, {0x1e2ae, 0x1e2ae}, {0x1e2ec, 0x1e2ef}, {0x1e4ec, 0x1e4ef},
}};
constexpr std::array<std::array<char32_t, 2>, 3> kUnknownCompatibility = {{
    {0x1e030, 0x1e06d},
    {0x1f16c, 0x1f16c},
    {0x1fbf0, 0x1fbf9},
}};

constexpr char32_t kEnd = 0x30000;  // no character beyond it changes

utf8proc_option_t options_of(UnicodeForm form) {
  const bool composes = form == UnicodeForm::nfc || form == UnicodeForm::nfkc;
  const bool compatible = form == UnicodeForm::nfkc || form == UnicodeForm::nfkd;
  int options = UTF8PROC_STABLE | (composes ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE);
  if (compatible) options |= UTF8PROC_COMPAT;
  return static_cast<utf8proc_option_t>(options);
}

/// Knows the characters that may change in a form, or that change with what is before them.
class ActiveChars {
 public:
  explicit ActiveChars(UnicodeForm form) : active_(kEnd) {
    const bool composes = form == UnicodeForm::nfc || form == UnicodeForm::nfkc;
    for (char32_t code = 0x80; code < kEnd; ++code) {
      if (utf8proc_get_property(static_cast<utf8proc_int32_t>(code))->combining_class != 0)
        active_[code] = true;
      find_changes(code, form);
    }
    for (char32_t jamo = 0x1161; composes && jamo <= 0x11c2; ++jamo)
      active_[jamo] = true;  // composes with the letter before it
    for (const auto& ranges : {std::span<const std::array<char32_t, 2>>(kUnknown),
                               std::span<const std::array<char32_t, 2>>(kUnknownCompatibility)})
      for (const auto& [first, last] : ranges)
        for (char32_t code = first; code <= last; ++code)
          active_[code] = false;
  }

  bool contains(char32_t code) const { return code < kEnd && active_[code]; }

 private:
  void find_changes(char32_t code, UnicodeForm form) {
    if (code >= 0xd800 && code < 0xe000) return;
    const bool composes = form == UnicodeForm::nfc || form == UnicodeForm::nfkc;
    const bool is_hangul = code >= 0xac00 && code < 0xd7a4;
    if (composes && is_hangul) return;
    std::array<utf8proc_int32_t, 32> parts{};
    const auto decompose = [&](int options) {
      int boundary = 0;
      return utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code), parts.data(),
                                     static_cast<utf8proc_ssize_t>(parts.size()),
                                     static_cast<utf8proc_option_t>(options), &boundary);
    };
    const auto changes = [&](utf8proc_ssize_t size) {
      return size != 1 || parts[0] != static_cast<utf8proc_int32_t>(code);
    };
    const int canonical = UTF8PROC_DECOMPOSE | UTF8PROC_STABLE;
    // The second half of a composition changes with what is before it.
    const utf8proc_ssize_t size = decompose(canonical);
    if (composes && size > 1)
      active_[static_cast<std::size_t>(parts[static_cast<std::size_t>(size) - 1])] = true;
    const bool compatible = form == UnicodeForm::nfkc || form == UnicodeForm::nfkd;
    if (!changes(compatible ? decompose(canonical | UTF8PROC_COMPAT) : size)) return;
    if (!composes || !is_composite(code, form)) active_[code] = true;
  }
  // True if the composed form of the character is the character itself.
  static bool is_composite(char32_t code, UnicodeForm form);

  std::vector<bool> active_;
};

void append_form(std::string_view text, utf8proc_option_t options, std::string& out) {
  utf8proc_uint8_t* result = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &result, options);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(result, &std::free);
  if (size < 0) throw std::bad_alloc();
  out.append(reinterpret_cast<const char*>(result), static_cast<std::size_t>(size));
}

bool ActiveChars::is_composite(char32_t code, UnicodeForm form) {
  std::string text, composed;
  append_utf8(text, code);
  append_form(text, options_of(form), composed);
  return composed == text;
}

class UnicodeNormalizer final : public Normalizer {
 public:
  explicit UnicodeNormalizer(UnicodeForm form) : options_(options_of(form)), active_(form) {}

 private:
  bool keeps_start() const override { return true; }

  // No rule crosses a character that is not active, so its successors are normalized with it alone.
  void normalize(std::string_view text, std::string& out) const override {
    out.clear();
    out.reserve(text.size());
    std::size_t copied = 0, previous = 0;
    for (std::size_t at = 0; at < text.size();) {
      if (static_cast<unsigned char>(text[at]) < 0x80) {
        previous = at++;
        continue;
      }
      const CodePoint point = decode_valid(text.data() + at);
      if (!active_.contains(point.code)) {
        previous = at;
        at += static_cast<std::size_t>(point.length);
        continue;
      }
      out += text.substr(copied, previous - copied);
      copied = end_of_active(text, at);
      append_segment(text.substr(previous, copied - previous), out);
      at = previous = copied;
    }
    out += text.substr(copied);
  }

  std::size_t end_of_active(std::string_view text, std::size_t at) const {
    while (at < text.size()) {
      const CodePoint point = decode_valid(text.data() + at);
      if (!active_.contains(point.code)) break;
      at += static_cast<std::size_t>(point.length);
    }
    return at;
  }
  void append_segment(std::string_view segment, std::string& out) const {
    const CodePoint first = decode_valid(segment.data());
    const auto length = static_cast<std::size_t>(first.length);
    if (is_unknown(first.code)) {
      out += segment.substr(0, length);
      segment.remove_prefix(length);
    }
    append_form(segment, options_, out);
  }
  static bool is_unknown(char32_t code) {
    for (const auto& [first, last] : kUnknown)
      if (code >= first && code <= last) return true;
    for (const auto& [first, last] : kUnknownCompatibility)
      if (code >= first && code <= last) return true;
    return false;
  }

  utf8proc_option_t options_;
  ActiveChars active_;
};

}  // namespace

NormalizerPtr unicode_normalizer(UnicodeForm form) {
  return std::make_shared<UnicodeNormalizer>(form);
}

}  // namespace meshwright::tokenizers
