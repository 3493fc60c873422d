// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/row_printer.h"

#include <algorithm>
#include <iomanip>
#include <iostream>

#include "meshwright/base/counted.h"
#include "meshwright/base/str.h"
#include "meshwright/cli/row_json.h"
#include "meshwright/metrics/format.h"

namespace meshwright::cli {
namespace {

using data::RowView;
using data::ShownArray;
using data::ShownTokens;
using tokenizers::escaped;
using tokenizers::TokenText;

constexpr char kMargin[] = "  | ";
// ANSI codes.
constexpr char kDim[] = "\x1b[2m";
constexpr char kPlain[] = "\x1b[0m";

// A character that is spread over several tokens is learnt if its last token is.
bool is_learnt(const ShownTokens& part, const TokenText& piece) {
  return part.learnt[piece.end - 1];
}

std::string place(const data::Origin& origin) {
  return str(escaped(origin.file), ", record ", origin.record, " at byte ", origin.offset,
             origin.token > 0 ? str(", from its token ", origin.token) : "");
}

// Returns "corpus.jsonl, record 3 at byte 120: tokens 0 to 57, 20 learnt".
std::string title(const ShownTokens& part) {
  const std::int64_t end = part.begin + std::ssize(part.tokens);
  std::string out;
  if (part.origin) out = place(*part.origin) + ": ";
  if (!part.array.empty()) out = part.array + ": ";
  out += end > part.begin ? str("tokens ", part.begin, " to ", end - 1) : "no tokens";
  out += str(", ", part.num_learnt(), " learnt");
  return part.segment > 0 ? str(out, ", segment ", part.segment) : out;
}

std::int64_t num_tokens(const RowView& row) {
  std::int64_t out = 0;
  for (const ShownTokens& part : row.parts)
    out += std::ssize(part.tokens);
  return out;
}

std::int64_t num_learnt(const RowView& row) {
  std::int64_t out = 0;
  for (const ShownTokens& part : row.parts)
    out += part.num_learnt();
  return out;
}

// Returns "120 tokens in 2 documents, 57 learnt, 8 padding"; empty for rows without tokens.
std::string summary(const RowView& row) {
  if (row.parts.empty()) return "";
  const char* const unit = row.parts.front().array.empty() ? "document" : "array";
  return str(counted(num_tokens(row), "token"), " in ", counted(std::ssize(row.parts), unit), ", ",
             num_learnt(row), " learnt, ", row.num_padding, " padding");
}

bool is_of_mixture(const RowView& row) {
  return !row.part_of_mixture.empty();
}

// Writes text with marks around what is not learnt, and a margin before each line.
class MarkedText {
 public:
  explicit MarkedText(bool is_terminal)
      : on_(is_terminal ? kDim : "[["), off_(is_terminal ? kPlain : "]]") {}

  void add(const std::string& text, bool is_learnt) {
    if (is_learnt == is_marked_) {
      out_ += is_learnt ? off_ : on_;
      is_marked_ = !is_learnt;
    }
    for (const char c : escaped(text, "\n")) {
      out_ += c;
      if (c == '\n') out_ += kMargin;
    }
  }
  std::string finish() {
    if (is_marked_) out_ += off_;
    return std::move(out_) + "\n";
  }

 private:
  std::string on_, off_;
  bool is_marked_ = false;
  std::string out_ = kMargin;
};

// The column with the names of parts; nothing unless rows come from a mixture.
class PartColumn {
 public:
  explicit PartColumn(const std::vector<RowView>& rows)
      : is_shown_(std::ranges::any_of(rows, is_of_mixture)) {
    for (const RowView& row : rows)
      width_ = std::max(width_, escaped(row.part_of_mixture).size());
  }
  std::string text(const std::string& name) const {
    return is_shown_ ? str("  ", name, std::string(width_ - name.size(), ' ')) : "";
  }

 private:
  bool is_shown_;
  std::size_t width_ = std::string_view("part").size();
};

void print_array(const ShownArray& array) {
  constexpr std::size_t kMaxValues = 8;
  std::cout << array.name << ": " << to_string(array.type);
  if (array.values.empty()) {
    std::cout << "\n";
  } else if (array.values.size() <= kMaxValues) {
    std::cout << " " << join(array.values, " ") << "\n";
  } else {
    const auto [min, max] = std::ranges::minmax(array.values);
    double sum = 0;
    for (const double value : array.values)
      sum += value;
    std::cout << ", min " << metrics::significant(min) << ", max " << metrics::significant(max)
              << ", mean " << metrics::significant(sum / static_cast<double>(array.values.size()))
              << "\n";
  }
}

// The beginning of a row's text, in one line.
std::string excerpt(const RowView& row, const TokenSpeller& spell) {
  constexpr std::size_t kMaxTokens = 32, kMaxBytes = 48;
  std::string out;
  for (const ShownTokens& part : row.parts) {
    const auto some = std::span(part.tokens).first(std::min(kMaxTokens, part.tokens.size()));
    for (const TokenText& piece : spell(some, part.is_start())) {
      std::string text = piece.text;
      std::ranges::replace(text, '\n', ' ');
      out += escaped(text);
      if (out.size() > kMaxBytes) return out + "...";
    }
  }
  return out;
}

}  // namespace

void RowPrinter::print(const RowView& row) const {
  if (style_ == RowStyle::json) {
    std::cout << row_json(row, spell_) << "\n";
    return;
  }
  std::cout << "step " << row.step << ", row " << row.row;
  if (is_of_mixture(row)) std::cout << ", from part '" << escaped(row.part_of_mixture) << "'";
  const bool is_padding = row.parts.empty() && row.arrays.empty();
  const std::string text = is_padding ? "padding" : summary(row);
  std::cout << (text.empty() ? "" : ": ") << text << "\n";
  for (const ShownTokens& part : row.parts)
    print_part(part);
  for (const ShownArray& array : row.arrays)
    print_array(array);
}

void RowPrinter::list(const std::vector<RowView>& rows) const {
  if (style_ == RowStyle::json) {
    for (const RowView& row : rows)
      std::cout << row_json(row, spell_) << "\n";
    return;
  }
  for (const char* name : {"row", "documents", "tokens", "learnt", "padding"})
    std::cout << std::setw(10) << name;
  const PartColumn part(rows);
  std::cout << part.text("part") << "  text\n";
  for (const RowView& row : rows) {
    for (const std::int64_t number :
         {row.row, std::ssize(row.parts), num_tokens(row), num_learnt(row), row.num_padding})
      std::cout << std::setw(10) << number;
    std::cout << part.text(escaped(row.part_of_mixture)) << "  " << excerpt(row, spell_) << "\n";
  }
}

void RowPrinter::print_part(const ShownTokens& part) const {
  std::cout << "\n" << title(part) << "\n";
  if (style_ == RowStyle::ids) {
    print_ids(part);
  } else {
    print_text(part);
  }
}

void RowPrinter::print_text(const ShownTokens& part) const {
  MarkedText text(is_terminal_);
  bool is_first = true;
  for (const TokenText& piece : spell_(part.tokens, part.is_start())) {
    const std::string bar = style_ == RowStyle::pieces && !is_first ? "|" : "";
    text.add(bar + piece.text, is_learnt(part, piece));
    is_first = false;
  }
  std::cout << text.finish();
}

void RowPrinter::print_ids(const ShownTokens& part) const {
  for (const TokenText& piece : spell_(part.tokens, part.is_start())) {
    const auto ids = std::span(part.tokens).subspan(piece.begin, piece.end - piece.begin);
    const bool is_dim = is_terminal_ && !is_learnt(part, piece);
    std::cout << (is_dim ? kDim : "") << std::setw(8)
              << part.begin + static_cast<std::int64_t>(piece.begin) << std::setw(10)
              << join(std::vector<std::int32_t>(ids.begin(), ids.end()), " ")
              << (is_learnt(part, piece) ? "  1  " : "  0  ") << escaped(piece.text)
              << (is_dim ? kPlain : "") << "\n";
  }
}

TokenSpeller token_speller(const data::SourceConfig& config, const data::RunData& run) {
  if (run.text) {
    return [text = run.text](std::span<const std::int32_t> tokens, bool is_start) {
      return token_texts(text->tokenizer(), tokens, is_start);
    };
  }
  // Codecs of generated data decode tokens one by one; numbers need a space between them.
  const data::TextCodec codec = data::text_codec(config, run);
  const std::string space = codec.name == data::token_numbers().name ? " " : "";
  return [codec, space](std::span<const std::int32_t> tokens, bool) {
    std::vector<TokenText> out;
    for (std::size_t i = 0; i < tokens.size(); ++i)
      out.push_back({.begin = i, .end = i + 1, .text = codec.decode(tokens.subspan(i, 1)) + space});
    return out;
  };
}

}  // namespace meshwright::cli
