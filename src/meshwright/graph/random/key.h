// SPDX-License-Identifier: Apache-2.0
// Keys of random numbers, as in JAX: use a key once, and make new keys by split and fold_in. Draws
// depend on the key and on the position of the element only, not on the mesh or the sharding.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "meshwright/base/threefry.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph::random {

/// threefry: two words, the same bits everywhere and equal to JAX's. rbg: four words, split and
/// folded as two threefry keys, with bits from XLA's generator: faster on TPUs, equal to JAX's on
/// the same backend and version only, and not independent of the sharding.
enum class KeyKind { threefry, rbg };

std::string_view key_kind_name(KeyKind kind);

/// A key, or a batch of keys of shape dims(). A type of its own, so that it is not mistaken for an
/// array of numbers.
class Key {
 public:
  Key() = default;
  /// `words`: one u32 array per word, all of the same shape. Throws invalid_argument if their
  /// number is not that of the kind.
  Key(KeyKind kind, std::vector<Value> words, SourceLoc loc = SourceLoc::current());

  KeyKind kind() const { return kind_; }
  bool is_null() const { return words_.empty(); }
  /// The shape of a batch; empty for one key.
  const Dims& dims() const { return word(0).dims(); }
  const std::vector<Value>& words() const { return words_; }
  /// Throws invalid_argument for an empty Key.
  Value word(std::size_t i) const;

  /// The keys at `index` of one dimension of a batch.
  Key at(std::int64_t index, std::int64_t dim = 0, SourceLoc loc = SourceLoc::current()) const;

 private:
  KeyKind kind_ = KeyKind::threefry;
  std::vector<Value> words_;
};

/// jax.random.key(seed) as a constant of the program.
Key key(std::int64_t seed,
        KeyKind kind = KeyKind::threefry,
        threefry::SeedWidth width = threefry::SeedWidth::automatic,
        SourceLoc loc = SourceLoc::current());
/// Makes keys from seeds known when the program runs: an integer array gives a batch of keys. The
/// high word is 0 unless the seeds have 64 bits.
Key key(Value seed, KeyKind kind = KeyKind::threefry, SourceLoc loc = SourceLoc::current());

/// The key as checkpoints hold it, u32[..., 2] or u32[..., 4] (jax.random.key_data), and back. Keys
/// also enter and leave programs in this form.
Value key_data(const Key& key, SourceLoc loc = SourceLoc::current());
Key wrap_key_data(Value data,
                  KeyKind kind = KeyKind::threefry,
                  SourceLoc loc = SourceLoc::current());

/// jax.random.split: `num` keys in a list, or a batch of keys of shape key.dims() + dims.
std::vector<Key> split(const Key& key, int num = 2, SourceLoc loc = SourceLoc::current());
Key split_batch(const Key& key, const Dims& dims, SourceLoc loc = SourceLoc::current());

/// jax.random.fold_in. An integer array as data gives a batch of keys; where `key` is a batch
/// itself, its shape must be the first dimensions of the data's. Only the low 32 bits count.
Key fold_in(const Key& key, Operand data);

/// How a name becomes a number to fold in.
enum class NameHash {
  md5_leading_word,  // seqax: the first 8 hexadecimal digits
  md5_mod_int31,     // AXLearn: the digest modulo 2^31 - 1
};
Key fold_in(const Key& key,
            std::string_view name,
            NameHash hash,
            SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph::random
