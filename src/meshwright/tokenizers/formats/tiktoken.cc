// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/formats/tiktoken.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "meshwright/base/base64.h"
#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/tokenizers/bpe/byte_bpe.h"
#include "meshwright/tokenizers/formats/tiktoken_kinds.h"
#include "meshwright/tokenizers/split/rule.h"

namespace meshwright::tokenizers {
namespace {

// Ranks are below, so that a damaged one does not take all memory.
constexpr std::size_t kMostRanks = std::size_t{1} << 21;

struct Line {
  std::string token;
  std::size_t rank;
};

std::optional<Line> parse_line(std::string_view line) {
  const std::size_t blank = line.find(' ');
  if (blank == line.npos) return std::nullopt;
  std::optional<std::string> token = from_base64(line.substr(0, blank));
  const std::string_view digits = line.substr(blank + 1);
  std::size_t rank = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (!token.has_value() || token->empty() || rank >= kMostRanks) return std::nullopt;
  return Line{std::move(*token), rank};
}

struct Ranks {
  std::vector<std::string> tokens;  // by rank
  std::int64_t count = 0;
};

Ranks parse(std::string_view content, const std::string& file) {
  Ranks out;
  std::size_t at = 0;
  while (at < content.size()) {
    const std::size_t end = std::min(content.find('\n', at), content.size());
    std::string_view text = content.substr(at, end - at);
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (!text.empty()) {
      std::optional<Line> line = parse_line(text);
      if (!line.has_value())
        fail(ErrorCode::data_loss, file, ", byte ", at,
             ": expected a token in base64 and its rank");
      if (out.tokens.size() <= line->rank) out.tokens.resize(line->rank + 1);
      std::string& token = out.tokens[line->rank];
      if (!token.empty())
        fail(ErrorCode::data_loss, file, ", byte ", at, ": rank ", line->rank, " occurs twice");
      token = std::move(line->token);
      ++out.count;
    }
    at = end + 1;
  }
  return out;
}

ByteBpe make_bpe(const Ranks& ranks, const std::string& file) {
  try {
    return ByteBpe::from_ranks(ranks.tokens);
  } catch (const Error& error) {
    throw Error(error.code() == ErrorCode::invalid_argument ? ErrorCode::data_loss : error.code(),
                str(file, ": ", error.message()));
  }
}

class TiktokenTokenizer final : public Tokenizer {
 public:
  TiktokenTokenizer(TiktokenKind kind, ByteBpe bpe)
      : kind_(std::move(kind)), bpe_(std::move(bpe)), splitter_(find_splitter(kind_.pattern)) {
    size_ = bpe_.size();
    for (const auto& [name, id] : kind_.special_tokens)
      size_ = std::max(size_, std::int64_t{id} + 1);
    if (!kind_.bos.empty()) special_.bos = special_id(kind_.bos);
    if (!kind_.eos.empty()) special_.eos = special_id(kind_.eos);
  }

  std::string description() const override {
    return str("byte-level BPE with ", size_, " tokens (", kind_.name, ")");
  }
  std::int64_t vocab_size() const override { return size_; }
  const SpecialTokens& special_tokens() const override { return special_; }

  void encode(std::string_view text, std::vector<Id>& ids, SpecialText special) const override {
    std::size_t start = 0, at = 0;
    // All special tokens start with these characters.
    while (special == SpecialText::parse && (at = text.find("<|", at)) != text.npos) {
      const std::optional<Special> found = special_at(text.substr(at));
      if (!found.has_value()) {
        ++at;
        continue;
      }
      bpe_.encode(*splitter_, text.substr(start, at - start), ids);
      ids.push_back(found->id);
      start = at += found->size;
    }
    bpe_.encode(*splitter_, text.substr(start), ids);
  }

  std::string decode(std::span<const Id> ids) const override {
    std::string out;
    for (const Id id : ids) {
      check(id);
      if (id < bpe_.size()) out += bpe_.bytes(id);
    }
    return out;
  }
  std::string bytes(Id id, bool) const override {
    return id < 0 || id >= bpe_.size() ? "" : std::string(bpe_.bytes(id));
  }
  std::string piece(Id id) const override {
    check(id);
    for (const auto& [name, special] : kind_.special_tokens)
      if (special == id) return name;
    return id < bpe_.size() ? std::string(bpe_.bytes(id)) : "";
  }
  std::optional<Id> find(std::string_view piece) const override {
    if (const std::optional<Id> id = special_id(piece)) return id;
    const Id id = bpe_.find(piece);
    return id < 0 ? std::nullopt : std::optional(id);
  }

  std::string saved() const override {
    std::string out;
    for (Id id = 0; id < bpe_.size(); ++id)
      if (!bpe_.bytes(id).empty()) out += str(to_base64(bpe_.bytes(id)), " ", id, "\n");
    return out;
  }

 private:
  struct Special {
    Id id;
    std::size_t size;
  };

  std::optional<Special> special_at(std::string_view text) const {
    const std::size_t end = text.find("|>");
    if (end == text.npos) return std::nullopt;
    const std::string_view name = text.substr(0, end + 2);
    const std::optional<Id> id = special_id(name);
    return id.has_value() ? std::optional(Special{*id, name.size()}) : std::nullopt;
  }

  std::optional<Id> special_id(std::string_view name) const {
    for (const auto& [special, id] : kind_.special_tokens)
      if (special == name) return id;
    return std::nullopt;
  }

  void check(Id id) const {
    if (id < 0 || id >= size_)
      fail(ErrorCode::invalid_argument, "token ", id, " is not below ", size_);
  }

  TiktokenKind kind_;
  ByteBpe bpe_;
  SplitterPtr splitter_;
  std::int64_t size_ = 0;
  SpecialTokens special_;
};

}  // namespace

bool is_tiktoken(std::string_view content) {
  const std::string_view line = content.substr(0, content.find('\n'));
  return line.size() < 4096 && parse_line(line).has_value();
}

std::unique_ptr<Tokenizer> read_tiktoken(std::string_view content,
                                         const std::string& file,
                                         std::string_view name) {
  const Ranks ranks = parse(content, file);
  TiktokenKind kind = name.empty() ? tiktoken_kind_with_ranks(ranks.count) : tiktoken_kind(name);
  if (ranks.count != kind.ranks)
    fail(ErrorCode::invalid_argument, file, " has ", ranks.count, " ranks; ", kind.name, " has ",
         kind.ranks);
  return std::make_unique<TiktokenTokenizer>(std::move(kind), make_bpe(ranks, file));
}

}  // namespace meshwright::tokenizers
