// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <utf8proc.h>

#include "meshwright/tokenizers/normalize/charsmap.h"
#include "meshwright/tokenizers/normalize/normalizer.h"
#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::tokenizers {
namespace {

bool is_ascii_at(std::string_view text, std::size_t at) {
  return at >= text.size() || static_cast<unsigned char>(text[at]) < 0x80;
}

/// Returns the end of the extended grapheme cluster that starts at `at`.
std::size_t end_of_cluster(std::string_view text, std::size_t at) {
  utf8proc_int32_t state = 0;
  CodePoint point = decode_valid(text.data() + at);
  while (true) {
    at += static_cast<std::size_t>(point.length);
    if (at == text.size()) return at;
    const CodePoint next = decode_valid(text.data() + at);
    if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(point.code),
                                         static_cast<utf8proc_int32_t>(next.code), &state) != 0)
      return at;
    point = next;
  }
}

class Precompiled final : public Normalizer {
 public:
  explicit Precompiled(std::string_view bytes) : charsmap_(bytes) {
    for (std::size_t c = 0; c < 128; ++c) {
      const char text = static_cast<char>(c);
      changes_[c] = charsmap_.longest_prefix({&text, 1}).length != 0 || text == '\r';
    }
  }

 private:
  // `tokenizers` reads clusters of less than 6 bytes as a whole.
  static constexpr std::size_t kShort = 6;

  bool keeps_start() const override { return true; }

  void normalize(std::string_view text, std::string& out) const override {
    out.clear();
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
      const auto byte = static_cast<unsigned char>(text[at]);
      if (byte < 0x80 && !changes_[byte] && is_ascii_at(text, at + 1)) {
        out += text[at++];
        continue;
      }
      const std::size_t end = end_of_cluster(text, at);
      append_cluster(text.substr(at, end - at), out);
      at = end;
    }
  }

  void append_cluster(std::string_view cluster, std::string& out) const {
    if (cluster.size() < kShort && append_replacement(cluster, out)) return;
    while (!cluster.empty()) {
      const auto length = static_cast<std::size_t>(decode_valid(cluster.data()).length);
      const std::string_view part = cluster.substr(0, length);
      if (!append_replacement(part, out)) out += part;
      cluster.remove_prefix(length);
    }
  }

  // Replaces the text by the rule with the shortest key that it begins with.
  bool append_replacement(std::string_view text, std::string& out) const {
    for (std::size_t size = 1; size <= text.size(); ++size) {
      const Charsmap::Match match = charsmap_.longest_prefix(text.substr(0, size));
      if (match.length == 0) continue;
      out += match.replacement;
      return true;
    }
    return false;
  }

  Charsmap charsmap_;
  std::array<bool, 128> changes_ = {};
};

}  // namespace

NormalizerPtr precompiled_normalizer(std::string_view charsmap) {
  return std::make_shared<Precompiled>(charsmap);
}

}  // namespace meshwright::tokenizers
