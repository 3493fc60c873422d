// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/random/key.h"

#include "meshwright/base/check.h"
#include "meshwright/base/md5.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/random/threefry.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph::random {
namespace {

std::size_t num_words(KeyKind kind) {
  return kind == KeyKind::threefry ? 2 : 4;
}

Value word_of_number(std::uint32_t number, SourceLoc loc) {
  return constant(std::int64_t{number}, u32, {}, loc);
}

// An rbg key starts as the same threefry key twice.
Key from_half(KeyKind kind, Value high, Value low, SourceLoc loc) {
  if (kind == KeyKind::threefry) return Key(kind, {high, low}, loc);
  return Key(kind, {high, low, high, low}, loc);
}

// Returns the keys that result from hashing the counters with each pair of words.
Key hashed(const Key& key, const KeyWords& counter, SourceLoc loc) {
  std::vector<Value> words;
  for (std::size_t i = 0; i < key.words().size(); i += 2) {
    for (Value word : threefry_hash({key.word(i), key.word(i + 1)}, counter, loc))
      words.push_back(word);
  }
  return Key(key.kind(), std::move(words), loc);
}

}  // namespace

std::string_view key_kind_name(KeyKind kind) {
  return kind == KeyKind::threefry ? "threefry" : "rbg";
}

Key::Key(KeyKind kind, std::vector<Value> words, SourceLoc loc)
    : kind_(kind), words_(std::move(words)) {
  MW_CHECK(words_.size() == num_words(kind), "a key of kind ", key_kind_name(kind), " has ",
           num_words(kind), " words, got ", words_.size(), origin(loc));
  for (const Value& word : words_) {
    MW_CHECK(word.dtype() == u32 && word.dims() == words_[0].dims(),
             "the words of a key must be u32 arrays of the same shape, got ", join(words_, " and "),
             origin(loc));
  }
}

Value Key::word(std::size_t i) const {
  MW_CHECK(i < words_.size(), "an empty Key has no words");
  return words_[i];
}

Key Key::at(std::int64_t index, std::int64_t dim, SourceLoc loc) const {
  MW_CHECK(!dims().empty(), "Key::at: this is a single key, not a batch", origin(loc));
  std::vector<Value> words;
  for (Value word : words_)
    words.push_back(take_index(word, dim, index, loc));
  return Key(kind_, std::move(words), loc);
}

Key key(std::int64_t seed, KeyKind kind, threefry::SeedWidth width, SourceLoc loc) {
  threefry::KeyWords words = threefry::key(seed, width);
  return from_half(kind, word_of_number(words[0], loc), word_of_number(words[1], loc), loc);
}

Key key(Value seed, KeyKind kind, SourceLoc loc) {
  MW_CHECK(is_integer(seed.dtype()), "key: the seed must be an integer, got ", seed, origin(loc));
  Value high = bit_width(seed.dtype()) == 64 ? cast(shift_right_logical(seed, 32), u32)
                                             : constant(0, u32, seed.dims(), loc);
  return from_half(kind, high, cast(seed, u32), loc);
}

Value key_data(const Key& key, SourceLoc loc) {
  key.word(0);  // throws if the key is empty
  return stack(key.words(), -1, loc);
}

Key wrap_key_data(Value data, KeyKind kind, SourceLoc loc) {
  auto words = static_cast<std::int64_t>(num_words(kind));
  MW_CHECK(data.dtype() == u32 && data.rank() > 0 && data.dim(-1) == words,
           "wrap_key_data: the data of ", key_kind_name(kind), " keys must be u32[...,", words,
           "], got ", data, origin(loc));
  std::vector<Value> parts;
  for (std::int64_t i = 0; i < words; ++i)
    parts.push_back(take_index(data, -1, i, loc));
  return Key(kind, std::move(parts), loc);
}

Key split_batch(const Key& key, const Dims& dims, SourceLoc loc) {
  return hashed(key, counters(key.dims(), dims, loc), loc);
}

std::vector<Key> split(const Key& key, int num, SourceLoc loc) {
  MW_CHECK(num > 0, "split: cannot make ", num, " keys", origin(loc));
  MW_CHECK(key.dims().empty(), "split: expected one key, got a batch ", key.dims(),
           "; use split_batch, or select one with at()", origin(loc));
  Key batch = split_batch(key, {num}, loc);
  std::vector<Key> keys;
  for (int i = 0; i < num; ++i)
    keys.push_back(batch.at(i, 0, loc));
  return keys;
}

Key fold_in(const Key& key, Operand data) {
  Value number = data.value_as(s64);
  MW_CHECK(is_integer(number.dtype()), "fold_in: the data must be integers, got ", number,
           origin(data.loc()));
  if (number.rank() == 0) number = broadcast_to(number, key.dims(), data.loc());
  return hashed(key, {constant(0, u32, number.dims(), data.loc()), cast(number, u32)}, data.loc());
}

Key fold_in(const Key& key, std::string_view name, NameHash hash, SourceLoc loc) {
  constexpr std::uint32_t kInt31 = 0x7fffffff;
  Md5 digest = md5(name);
  std::uint32_t number =
      hash == NameHash::md5_leading_word ? leading_word(digest) : digest_mod(digest, kInt31);
  return fold_in(key, Operand(number, loc));
}

}  // namespace meshwright::graph::random
