// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/unicode/lowercase.h"

#include <array>
#include <vector>

#include <utf8proc.h>

#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::tokenizers {
namespace {

struct Run {
  char32_t first, last, lower;  // lower is that of first
};

// Letters that older versions of utf8proc do not know.
constexpr std::array<Run, 10> kRecent = {{
    {0x1c89, 0x1c89, 0x1c8a},
    {0xa7cb, 0xa7cb, 0x264},
    {0xa7cc, 0xa7cc, 0xa7cd},
    {0xa7ce, 0xa7ce, 0xa7cf},
    {0xa7d2, 0xa7d2, 0xa7d3},
    {0xa7d4, 0xa7d4, 0xa7d5},
    {0xa7da, 0xa7da, 0xa7db},
    {0xa7dc, 0xa7dc, 0x19b},
    {0x10d50, 0x10d65, 0x10d70},
    {0x16ea0, 0x16eb8, 0x16ebb},
}};

// Letters beyond it have no case.
constexpr char32_t kEndOfCodes = 0x1f000;

std::vector<char32_t> make_table() {
  std::vector<char32_t> table(kEndOfCodes);
  for (char32_t code = 0; code < kEndOfCodes; ++code)
    table[code] = static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code)));
  for (const Run& run : kRecent)
    for (char32_t code = run.first; code <= run.last; ++code)
      table[code] = run.lower + (code - run.first);
  return table;
}

}  // namespace

void append_lowercase(std::string& text, char32_t code) {
  static const std::vector<char32_t> table = make_table();
  if (code == 0x130) {  // capital I with a dot above
    text += "i\xcc\x87";
    return;
  }
  append_utf8(text, code < kEndOfCodes ? table[code] : code);
}

}  // namespace meshwright::tokenizers
