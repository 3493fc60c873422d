// SPDX-License-Identifier: Apache-2.0
// Normalizers change text before it is split into words.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::tokenizers {

/// Thread-safe.
class Normalizer {
 public:
  virtual ~Normalizer() = default;

  /// Replaces `out` with the normalized text. `text` is valid UTF-8, as is the result.
  virtual void normalize(std::string_view text, std::string& out) const = 0;
  /// True if the first character of the result always stands for the first one of the text. False
  /// if leading characters may be dropped.
  virtual bool keeps_start() const = 0;
};

using NormalizerPtr = std::shared_ptr<const Normalizer>;

NormalizerPtr lowercase_normalizer();
/// Removes white space at the ends.
NormalizerPtr strip_normalizer(bool left, bool right);
/// Removes combining marks; does not decompose characters.
NormalizerPtr strip_accents_normalizer();
/// Prepends to text that is not empty.
NormalizerPtr prepend_normalizer(std::string prefix);
/// Removes controls and replaces some special characters by spaces.
NormalizerPtr nmt_normalizer();
/// Replaces each byte by a printable character, see byte_chars.h.
NormalizerPtr byte_level_normalizer();

/// Replaces each occurrence of `pattern`, which must not be empty.
NormalizerPtr replace_text_normalizer(std::string pattern, std::string content);
/// Replaces each match of a regular expression. Throws like make_splitter().
NormalizerPtr replace_regex_normalizer(const std::string& pattern, std::string content);

enum class UnicodeForm { nfc, nfd, nfkc, nfkd };

/// Normalizes as the `tokenizers` library, which follows Unicode 9.
NormalizerPtr unicode_normalizer(UnicodeForm form);

/// Applies rules of SentencePiece to grapheme clusters. `charsmap` holds the bytes of a Charsmap.
/// Throws data_loss if they are malformed.
NormalizerPtr precompiled_normalizer(std::string_view charsmap);

struct BertOptions {
  bool clean_text = true;
  bool handle_chinese_chars = true;
  bool strip_accents = true;
  bool lowercase = true;
};
NormalizerPtr bert_normalizer(const BertOptions& options);

}  // namespace meshwright::tokenizers
