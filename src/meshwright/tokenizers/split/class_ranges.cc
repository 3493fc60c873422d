// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/split/class_ranges.h"

#include <array>
#include <cstdio>

#include "meshwright/tokenizers/unicode/category.h"

namespace meshwright::tokenizers {
namespace {

constexpr char32_t kEnd = 0x110000;

constexpr std::array<std::string_view, 30> kNames = {
    "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe",
    "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn"};

Categories categories_of(std::string_view name) {
  if (name == "s") return kSpaces;
  if (name == "d") return bit(Category::Nd);
  if (name == "w") return kLetters | kMarks | categories(Category::Nd, Category::Nl, Category::Pc);
  Categories out = 0;
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (name == kNames[i] || (name.size() == 1 && kNames[i].starts_with(name))) out |= 1U << i;
  if ((out & bit(Category::Cc)) != 0) out |= bit(Category::space_control);
  return out;
}

// Symbols with the property Alphabetic, which are in \w.
bool is_alphabetic_symbol(char32_t code) {
  return (code >= 0x24b6 && code <= 0x24e9) || (code >= 0x1f130 && code <= 0x1f149) ||
         (code >= 0x1f150 && code <= 0x1f169) || (code >= 0x1f170 && code <= 0x1f189);
}

// Superscripts and fractions.
bool is_latin1_number(char32_t code) {
  return code < 0x100 && (category_of(code) & bit(Category::No)) != 0;
}

void append_code(std::string& out, char32_t code) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "\\x{%x}", static_cast<unsigned>(code));
  out += text.data();
}

}  // namespace

std::optional<std::string> class_ranges(std::string_view name, bool negated, bool in_class) {
  const Categories set = categories_of(name);
  if (set == 0) return std::nullopt;
  const auto included = [&](char32_t code) {
    if (code >= 0xd800 && code < 0xe000) return false;  // not in UTF-8, and refused by PCRE2
    const bool in_set =
        (category_of(code) & set) != 0 ||
        (name == "w" && (is_alphabetic_symbol(code) || (!in_class && is_latin1_number(code))));
    return in_set != negated;
  };
  std::string out;
  for (char32_t code = 0; code < kEnd; ++code) {
    if (!included(code)) continue;
    append_code(out, code);
    const char32_t first = code;
    while (code + 1 < kEnd && included(code + 1))
      ++code;
    if (code == first) continue;
    out += '-';
    append_code(out, code);
  }
  return out;
}

}  // namespace meshwright::tokenizers
