// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/token_files/stored_documents.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "meshwright/base/digest.h"
#include "meshwright/base/error.h"
#include "meshwright/base/str.h"

namespace meshwright::data {
namespace {

// Smaller files are read again at each start.
constexpr std::int64_t kMinIndexed = std::int64_t{1} << 22;
constexpr std::int64_t kBlock = 1 << 18;  // tokens that are read at once

// Returns what `make` appends, from the index if it is there.
Numbers indexed(const TokenFile& file,
                const NumberStore& index,
                std::string_view what,
                const std::function<void(const AppendNumber&)>& make) {
  const NumberStore store = file.tokens->size() < kMinIndexed ? NumberStore() : index;
  return store.get(str(what, " of ", file.fingerprint, " ", file.modified_nanoseconds), make);
}

// Calls f(first, tokens) for consecutive parts of an array.
void for_each_block(const TokenArray& tokens,
                    const std::function<void(std::int64_t, std::span<const std::int32_t>)>& f) {
  std::vector<std::int32_t> block(static_cast<std::size_t>(std::min(kBlock, tokens.size())));
  for (std::int64_t begin = 0; begin < tokens.size(); begin += kBlock) {
    block.resize(static_cast<std::size_t>(std::min(kBlock, tokens.size() - begin)));
    tokens.read(begin, block);
    f(begin, block);
  }
}

[[noreturn]] void fail_token(const TokenArray& tokens,
                             std::int64_t position,
                             std::int32_t token,
                             std::int64_t vocab_size) {
  if (token < 0) {
    fail(ErrorCode::data_loss, tokens.name(), ": the value at position ", position,
         " is no token: it is negative or above 2147483647");
  }
  fail(ErrorCode::data_loss, tokens.name(), ": token ", token, " at position ", position,
       " is not below the size of the vocabulary, ", vocab_size);
}

class StoredDocuments : public Documents {
 public:
  StoredDocuments(TokenFile file, std::int64_t vocab_size)
      : file_(std::move(file)), vocab_size_(vocab_size) {}

  std::int64_t num_documents() const override { return file_.num_documents(); }
  std::int64_t length(std::int64_t document) const override { return file_.length(document); }
  void read(std::int64_t document, std::int64_t begin, std::span<std::int32_t> out) const override {
    const std::int64_t first = this->begin(document) + begin;
    file_.tokens->read(first, out);
    const auto is_outside = [&](std::int32_t token) { return token < 0 || token >= vocab_size_; };
    const auto wrong = std::ranges::find_if(out, is_outside);
    if (wrong != out.end())
      fail_token(*file_.tokens, first + (wrong - out.begin()), *wrong, vocab_size_);
  }
  Origin origin(std::int64_t document) const override {
    return {.file = file_.tokens->name(),
            .record = document,
            .offset = file_.tokens->byte_offset(begin(document))};
  }
  std::uint64_t content_hash(std::int64_t document) const override {
    std::vector<std::int32_t> block(
        static_cast<std::size_t>(std::min(kBlock, file_.length(document))));
    Digest digest;  // equals hash_of_tokens()
    for (std::int64_t at = 0; at < file_.length(document); at += kBlock) {
      block.resize(static_cast<std::size_t>(std::min(kBlock, file_.length(document) - at)));
      read(document, at, block);
      digest.update({reinterpret_cast<const char*>(block.data()), block.size() * sizeof(block[0])});
    }
    return digest.hash64();
  }
  std::string fingerprint() const override {
    return digest_hex(str(file_.fingerprint, " ", digest_hex(begins_as_text())));
  }
  std::vector<FileDigest> files() const override {
    return {{.name = file_.tokens->name(), .digest = digest64(fingerprint())}};
  }

 private:
  std::int64_t begin(std::int64_t document) const { return file_.begins[document]; }
  std::string_view begins_as_text() const {
    const std::span<const std::int64_t> begins = file_.begins.values();
    return {reinterpret_cast<const char*>(begins.data()), begins.size_bytes()};
  }

  TokenFile file_;
  std::int64_t vocab_size_;
};

void append_begins(const TokenArray& tokens,
                   const DocumentMarks& marks,
                   const AppendNumber& append) {
  std::int64_t last = 0;
  append(0);
  const auto begins_at = [&](std::int64_t position) {
    if (position == last) return;
    append(position);
    last = position;
  };
  for_each_block(tokens, [&](std::int64_t first, std::span<const std::int32_t> block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      const std::int64_t position = first + static_cast<std::int64_t>(i);
      if (marks.begin && block[i] == *marks.begin) begins_at(position);
      if (marks.end && block[i] == *marks.end) begins_at(position + 1);
    }
  });
  begins_at(tokens.size());
}

std::int64_t read_max_token(const TokenArray& tokens) {
  std::int64_t out = -1;
  for_each_block(tokens, [&](std::int64_t first, std::span<const std::int32_t> block) {
    const auto [least, most] = std::ranges::minmax_element(block);
    if (*least < 0) fail_token(tokens, first + (least - block.begin()), *least, 0);
    out = std::max<std::int64_t>(out, *most);
  });
  return out;
}

std::string shown(const std::optional<std::int32_t>& mark) {
  return mark ? str(*mark) : "none";
}

}  // namespace

Numbers find_documents(const TokenFile& file,
                       const DocumentMarks& marks,
                       const NumberStore& index) {
  const TokenArray& tokens = *file.tokens;
  if (!marks.begin && !marks.end)
    return tokens.size() == 0 ? Numbers{0} : Numbers{0, tokens.size()};
  return indexed(file, index,
                 str("documents between ", shown(marks.begin), " and ", shown(marks.end)),
                 [&](const AppendNumber& append) { append_begins(tokens, marks, append); });
}

DocumentsPtr stored_documents(TokenFile file, std::int64_t vocab_size) {
  return std::make_shared<StoredDocuments>(std::move(file), vocab_size);
}

std::int64_t max_token(const TokenFile& file, const NumberStore& index) {
  if (file.max_token) return *file.max_token;
  return indexed(file, index, "largest token",
                 [&](const AppendNumber& append) { append(read_max_token(*file.tokens)); })[0];
}

}  // namespace meshwright::data
