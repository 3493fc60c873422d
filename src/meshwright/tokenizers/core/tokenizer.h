// SPDX-License-Identifier: Apache-2.0
// Tokenizers: text to token ids and back.
//
// A tokenizer is opened from a file that its vocabulary was published in (open/open_tokenizer.h):
// a tokenizer.json, a SentencePiece .model or a tiktoken file. Or it is the tokenizer of bytes,
// which needs no file, or was trained here (training/). Ids are exactly those of the library that
// defines the file; a component that is not implemented is refused by name.
//
// Encoding goes through up to four stages, each in its own room: text is normalized (normalize/),
// special tokens are cut out, the rest is split into words (split/), and a model gives each word
// its tokens (bpe/, unigram/, wordpiece/). formats/ reads the files and puts the stages together.
//
// Text is any sequence of bytes. Bytes that are not valid UTF-8 are encoded as the original library
// encodes them if it accepts bytes, and otherwise as U+FFFD.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::tokenizers {

using Id = std::int32_t;

/// Tokens with a role, where the vocabulary has them.
struct SpecialTokens {
  std::optional<Id> bos = {}, eos = {}, pad = {}, unknown = {};
};

/// How to treat special tokens that are spelled out in the text, as "<|endoftext|>" may be.
enum class SpecialText {
  parse,  // one token, as in tokenizers and transformers
  plain,  // text like any other, so that data cannot forge special tokens
};

/// Thread-safe. All functions are pure.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// Returns a description for messages: "byte-level BPE with 50257 tokens".
  virtual std::string description() const = 0;
  /// Returns the size of the id space: one more than the largest id.
  virtual std::int64_t vocab_size() const = 0;
  virtual const SpecialTokens& special_tokens() const = 0;

  /// Appends the ids of the text, without the special tokens that a template puts around it.
  virtual void encode(std::string_view text,
                      std::vector<Id>& ids,
                      SpecialText special = SpecialText::parse) const = 0;
  /// Returns the ids that the file's template puts before and after a single text, often a BOS.
  virtual std::vector<Id> prefix() const { return {}; }
  virtual std::vector<Id> suffix() const { return {}; }

  /// Returns the text of the ids; special tokens give no text. Bytes that are not valid UTF-8 are
  /// kept where the original library returns bytes. Throws invalid_argument for an id that is out
  /// of range.
  virtual std::string decode(std::span<const Id> ids) const = 0;
  /// Returns how many ids, from the first, have their final text: whatever ids follow, the text of
  /// all begins with the text of these. The text does not end within a character.
  virtual std::size_t num_settled(std::span<const Id> ids) const;
  /// Returns the bytes that one id adds to a text: after other text or, if `at_start`, at the start
  /// of a text, where a space that only encoding puts there is left out. They may be a part of a
  /// character. Empty for special and unused ids, for the unknown token, and out of range.
  virtual std::string bytes(Id id, bool at_start = false) const = 0;
  /// Returns the piece of one id as the vocabulary spells it, for display; empty for an unused id.
  virtual std::string piece(Id id) const = 0;
  /// Returns the id of a piece or special token; nullopt if there is none.
  virtual std::optional<Id> find(std::string_view piece) const = 0;

  /// Returns the content of a file from which open_tokenizer() makes an equal tokenizer. Empty for
  /// the tokenizer of bytes.
  virtual std::string saved() const = 0;
};

}  // namespace meshwright::tokenizers
