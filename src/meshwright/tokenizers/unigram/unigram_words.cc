// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/unigram/unigram_words.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "meshwright/base/error.h"
#include "meshwright/tokenizers/bpe/cached_words.h"
#include "meshwright/tokenizers/core/marked_text.h"

namespace meshwright::tokenizers {
namespace {

constexpr Id kNoUnknown = -1;
constexpr double kUnknownPenalty = 10;

using Pieces = std::vector<std::pair<std::string, double>>;

std::vector<Id> byte_ids(const Pieces& pieces) {
  std::unordered_map<std::string_view, Id> ids;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    ids[pieces[i].first] = static_cast<Id>(i);
  std::vector<Id> out;
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const auto found =
        ids.find(std::string{'<', '0', 'x', kDigits[byte >> 4], kDigits[byte & 15], '>'});
    if (found == ids.end())
      fail(ErrorCode::invalid_argument, "byte_fallback needs a piece for byte ", byte);
    out.push_back(found->second);
  }
  return out;
}

Unigram make_unigram(const Pieces& pieces, Id unknown, bool byte_fallback) {
  UnigramOptions options;
  options.float_sums = false;
  options.unknown = {.unknown = unknown, .fuse = true};
  if (byte_fallback) options.unknown.bytes = byte_ids(pieces);
  double lowest = std::numeric_limits<double>::infinity();
  std::unordered_map<std::string_view, std::size_t> last;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    lowest = std::min(lowest, pieces[i].second);
    last[pieces[i].first] = i;
  }
  options.unknown_score = lowest - kUnknownPenalty;
  std::vector<UnigramPiece> out;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto& [text, score] = pieces[i];
    out.push_back({marked(text), score, !text.empty() && last[text] == i});
  }
  return Unigram(out, std::move(options));
}

}  // namespace

UnigramWords::UnigramWords(const Pieces& pieces, std::optional<Id> unknown, bool byte_fallback)
    : has_unknown_(unknown.has_value()),
      unigram_(make_unigram(pieces, unknown.value_or(kNoUnknown), byte_fallback)) {}

void UnigramWords::encode(const WordSource& source, std::vector<Id>& ids) const {
  auto memory = memories_.take([] { return std::make_unique<Unigram::Memory>(); });
  const auto encode_new = [&](std::string_view word, std::vector<Id>& out) {
    const std::size_t before = out.size();
    std::string text = marked(word);
    const std::size_t size = text.size();
    text.append(WordCache::kPadding, '\0');
    unigram_.encode(std::string_view(text).substr(0, size), *memory, out);
    if (has_unknown_) return;
    if (std::find(out.begin() + static_cast<std::ptrdiff_t>(before), out.end(), kNoUnknown) !=
        out.end())
      fail(ErrorCode::invalid_argument,
           "the text has an unknown character, but the vocabulary has "
           "no unknown token");
  };
  encode_cached(caches_, source, ids, encode_new);
}

}  // namespace meshwright::tokenizers
