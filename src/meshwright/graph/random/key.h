// SPDX-License-Identifier: Apache-2.0
// Random keys as in JAX: use each key once, and derive new keys with split and fold_in. A draw
// depends only on the key and the position of the element, not on the mesh or the sharding.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "meshwright/base/threefry.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph::random {

/// threefry: two words; the bits are the same on all backends and equal JAX's. rbg: four words,
/// split and folded like two threefry keys, with bits from XLA's generator. This is faster on TPUs,
/// but the bits equal JAX's only on the same backend and version, and they depend on the sharding.
enum class KeyKind { threefry, rbg };

std::string_view key_kind_name(KeyKind kind);

/// A key, or a batch of keys of shape dims(). A distinct type, so that keys are not mistaken for
/// arrays of numbers.
class Key {
 public:
  Key() = default;
  /// `words` has one u32 array per word, all of the same shape. Throws invalid_argument if the
  /// number of words does not match the kind.
  Key(KeyKind kind, std::vector<Value> words, SourceLoc loc = SourceLoc::current());

  KeyKind kind() const { return kind_; }
  bool is_null() const { return words_.empty(); }
  /// Returns the shape of a batch; empty for a single key.
  const Dims& dims() const { return word(0).dims(); }
  const std::vector<Value>& words() const { return words_; }
  /// Throws invalid_argument for an empty Key.
  Value word(std::size_t i) const;

  /// Returns the keys at `index` along dimension `dim` of a batch.
  Key at(std::int64_t index, std::int64_t dim = 0, SourceLoc loc = SourceLoc::current()) const;

 private:
  KeyKind kind_ = KeyKind::threefry;
  std::vector<Value> words_;
};

/// Like jax.random.key: returns the key for a seed as a constant of the program.
Key key(std::int64_t seed,
        KeyKind kind = KeyKind::threefry,
        threefry::SeedWidth width = threefry::SeedWidth::automatic,
        SourceLoc loc = SourceLoc::current());
/// Returns keys for seeds that are known only when the program runs; an integer array gives a batch
/// of keys. The high word is 0 unless the seeds have 64 bits.
Key key(Value seed, KeyKind kind = KeyKind::threefry, SourceLoc loc = SourceLoc::current());

/// Like jax.random.key_data and wrap_key_data: convert keys to and from u32[..., 2] or u32[..., 4],
/// the form in which checkpoints store keys and programs take and return them.
Value key_data(const Key& key, SourceLoc loc = SourceLoc::current());
Key wrap_key_data(Value data,
                  KeyKind kind = KeyKind::threefry,
                  SourceLoc loc = SourceLoc::current());

/// Like jax.random.split. split() returns `num` keys, and split_batch() returns a batch of keys of
/// shape key.dims() + dims.
std::vector<Key> split(const Key& key, int num = 2, SourceLoc loc = SourceLoc::current());
Key split_batch(const Key& key, const Dims& dims, SourceLoc loc = SourceLoc::current());

/// Like jax.random.fold_in. An integer array as data gives a batch of keys; if `key` is itself a
/// batch, its shape must be a prefix of the shape of the data. Only the low 32 bits of the data are
/// used.
Key fold_in(const Key& key, Operand data);

/// How a name is hashed to the number to fold in.
enum class NameHash {
  md5_leading_word,  // seqax: the first 8 hexadecimal digits
  md5_mod_int31,     // AXLearn: the digest modulo 2^31 - 1
};
Key fold_in(const Key& key,
            std::string_view name,
            NameHash hash,
            SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph::random
