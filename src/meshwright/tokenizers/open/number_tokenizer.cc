// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/open/number_tokenizer.h"

#include <charconv>
#include <limits>
#include <string_view>

#include "meshwright/base/check.h"

namespace meshwright::tokenizers {
namespace {

constexpr std::string_view kBlanks = " \t\n\r";

class NumberTokenizer final : public Tokenizer {
 public:
  explicit NumberTokenizer(std::int64_t vocab_size) : vocab_size_(vocab_size) {}

  std::string description() const override { return "numbers of tokens"; }
  std::int64_t vocab_size() const override { return vocab_size_; }
  const SpecialTokens& special_tokens() const override { return special_; }

  void encode(std::string_view text, std::vector<Id>& ids, SpecialText) const override {
    while (true) {
      const std::size_t begin = text.find_first_not_of(kBlanks);
      if (begin == text.npos) return;
      text.remove_prefix(begin);
      const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
      const std::optional<Id> id = find(word);
      MW_CHECK(id, "'", word,
               "' is not the number of a token\nthis data has no text: write numbers separated by "
               "spaces, or set data.tokenizer");
      ids.push_back(*id);
      text.remove_prefix(word.size());
    }
  }

  std::string decode(std::span<const Id> ids) const override { return join(ids, " "); }
  std::string bytes(Id id, bool at_start) const override {
    return at_start ? piece(id) : str(" ", piece(id));
  }
  std::string piece(Id id) const override { return str(id); }
  std::optional<Id> find(std::string_view piece) const override {
    Id id = 0;
    const char* const end = piece.data() + piece.size();
    const auto parsed = std::from_chars(piece.data(), end, id);
    if (parsed.ec != std::errc() || parsed.ptr != end || id < 0 || id >= limit()) {
      return std::nullopt;
    }
    return id;
  }
  std::string saved() const override { return ""; }

 private:
  std::int64_t limit() const {
    return vocab_size_ > 0 ? vocab_size_ : std::numeric_limits<std::int64_t>::max();
  }

  std::int64_t vocab_size_;
  SpecialTokens special_;
};

}  // namespace

std::unique_ptr<Tokenizer> number_tokenizer(std::int64_t vocab_size) {
  return std::make_unique<NumberTokenizer>(vocab_size);
}

}  // namespace meshwright::tokenizers
