// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <memory>

#include <utf8proc.h>

#include "meshwright/tokenizers/normalize/normalizer.h"
#include "meshwright/tokenizers/unicode/char_sets.h"
#include "meshwright/tokenizers/unicode/lowercase.h"
#include "meshwright/tokenizers/unicode/utf8.h"

namespace meshwright::tokenizers {
namespace {

/// The replacements of the characters of a block of 128 code points.
struct Block {
  struct Entry {
    std::uint16_t begin = 0, size = 0;
    bool depends = false;  // on the characters beside it
  };
  std::array<Entry, 128> entries;
  std::string results;
};

class BertNormalizer final : public Normalizer {
 public:
  explicit BertNormalizer(const BertOptions& options)
      : options_(options), nfd_(unicode_normalizer(UnicodeForm::nfd)) {
    for (unsigned char c = 0; c < 128; ++c) {
      std::string out;
      append_slowly(std::string(1, static_cast<char>(c)), out);
      ascii_[c] = out.empty() ? kRemoved : out[0];
    }
  }
  ~BertNormalizer() override {
    for (auto& block : blocks_)
      delete block.load();
  }

 private:
  // No character becomes this one.
  static constexpr char kRemoved = '\x7f';

  bool keeps_start() const override { return false; }

  void normalize(std::string_view text, std::string& out) const override {
    out.clear();
    out.reserve(text.size() + text.size() / 4);
    std::size_t at = 0;
    while (at < text.size()) {
      std::size_t end = at;
      while (end < text.size() && is_ascii(text[end]) && mapped(text[end]) != kRemoved)
        ++end;
      const std::size_t before = out.size();
      out.resize(before + (end - at));
      for (std::size_t i = at; i < end; ++i)
        out[before + (i - at)] = mapped(text[i]);
      at = end;
      // Removed characters do not separate those beside them.
      while (end < text.size() && (!is_ascii(text[end]) || mapped(text[end]) == kRemoved))
        ++end;
      append_run(text.substr(at, end - at), out);
      at = end;
    }
  }

  char mapped(char c) const { return ascii_[static_cast<unsigned char>(c)]; }

  void append_run(std::string_view run, std::string& out) const {
    const std::size_t before = out.size();
    for (std::size_t at = 0; at < run.size();) {
      const CodePoint point = decode_valid(run.data() + at);
      at += static_cast<std::size_t>(point.length);
      const Block& block = block_of(point.code);
      const Block::Entry& entry = block.entries[point.code % 128];
      if (entry.depends) {
        out.resize(before);
        return append_slowly(run, out);
      }
      out.append(block.results, entry.begin, entry.size);
    }
  }

  const Block& block_of(char32_t code) const {
    std::atomic<const Block*>& slot = blocks_[code / 128];
    const Block* block = slot.load(std::memory_order_acquire);
    if (block != nullptr) return *block;
    auto made = make_block(code / 128 * 128);
    if (slot.compare_exchange_strong(block, made.get(), std::memory_order_acq_rel))
      return *made.release();
    return *block;
  }

  std::unique_ptr<const Block> make_block(char32_t first) const {
    auto block = std::make_unique<Block>();
    for (char32_t i = 0; i < 128; ++i) {
      if (first + i >= 0xd800 && first + i < 0xe000) continue;
      std::string text, out;
      append_utf8(text, first + i);
      append_slowly(text, out);
      block->entries[i] = {static_cast<std::uint16_t>(block->results.size()),
                           static_cast<std::uint16_t>(out.size()), has_mark(out)};
      block->results += out;
    }
    return block;
  }

  // Marks that are kept may change places.
  bool has_mark(std::string_view text) const {
    for (std::size_t at = 0; options_.strip_accents && at < text.size();) {
      const CodePoint point = decode_valid(text.data() + at);
      at += static_cast<std::size_t>(point.length);
      if (utf8proc_get_property(static_cast<utf8proc_int32_t>(point.code))->combining_class != 0)
        return true;
    }
    return false;
  }

  void append_slowly(std::string_view text, std::string& out) const {
    std::string cleaned, decomposed;
    clean(text, cleaned);
    if (options_.strip_accents)
      nfd_->normalize(cleaned, decomposed);
    else
      decomposed = cleaned;
    const CharSets& sets = CharSets::get();
    for (std::size_t at = 0; at < decomposed.size();) {
      const CodePoint point = decode_valid(decomposed.data() + at);
      const auto length = static_cast<std::size_t>(point.length);
      if (!options_.strip_accents || (sets.of(point.code) & kNonspacingMarks) == 0) {
        if (options_.lowercase)
          append_lowercase(out, point.code);
        else
          out.append(decomposed, at, length);
      }
      at += length;
    }
  }

  void clean(std::string_view text, std::string& out) const {
    const CharSets& sets = CharSets::get();
    for (std::size_t at = 0; at < text.size();) {
      const CodePoint point = decode_valid(text.data() + at);
      const auto length = static_cast<std::size_t>(point.length);
      const CharSet set = sets.of(point.code);
      const std::string_view bytes = text.substr(at, length);
      at += length;
      if (options_.clean_text && (set & kControlChars) != 0) continue;
      if (options_.clean_text && (set & kWhitespaceChars) != 0)
        out += ' ';
      else if (options_.handle_chinese_chars && (set & kChineseChars) != 0)
        out.append(" ").append(bytes).append(" ");
      else
        out += bytes;
    }
  }

  BertOptions options_;
  NormalizerPtr nfd_;
  std::array<char, 128> ascii_ = {};
  mutable std::array<std::atomic<const Block*>, 0x110000 / 128> blocks_ = {};
};

}  // namespace

NormalizerPtr bert_normalizer(const BertOptions& options) {
  return std::make_shared<BertNormalizer>(options);
}

}  // namespace meshwright::tokenizers
