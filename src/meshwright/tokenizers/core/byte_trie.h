// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace meshwright::tokenizers {

/// An immutable map from strings of bytes to numbers, as a double-array trie: one load per byte.
class ByteTrie {
 public:
  struct Entry {
    std::string_view key;
    std::int32_t value = 0;  // from 0 to kMaxValue
  };
  static constexpr std::int32_t kMaxValue = (1 << 28) - 2;

  /// Throws invalid_argument for an empty key, a key that occurs twice or a value out of range.
  explicit ByteTrie(std::vector<Entry> entries = {});

  /// A node: where a walk along the bytes of a text has come to.
  class Node {
   public:
    /// Returns the value of the key that ends here, or -1.
    std::int32_t value() const { return static_cast<std::int32_t>(bits_ >> 36) - 1; }

   private:
    friend class ByteTrie;
    friend class ByteTrieBuilder;
    // From the lowest bit: 9 of the label, 27 of the base, 28 of the value plus one.
    explicit Node(std::uint64_t bits) : bits_(bits) {}
    std::uint64_t base() const { return (bits_ >> 9) & ((1u << 27) - 1); }
    std::uint64_t label() const { return bits_ & 511; }
    std::uint64_t bits_;
  };

  Node root() const { return root_; }
  /// Moves to the child for `byte`. Returns false if no key continues so; `node` is then invalid.
  bool step(Node& node, char byte) const {
    const std::uint64_t label = static_cast<unsigned char>(byte);
    node = Node(units_[node.base() ^ label]);
    return node.label() == label;
  }

  struct Match {
    std::size_t length = 0;  // 0 if there is no match
    std::int32_t value = -1;
  };
  /// Returns the longest key that is a prefix of the text.
  Match longest_prefix(std::string_view text) const;
  /// Returns the value of a key, or -1.
  std::int32_t find(std::string_view key) const;

 private:
  Node root_{511};
  std::vector<std::uint64_t> units_;  // whole blocks of 256; the first block is empty
};

}  // namespace meshwright::tokenizers
