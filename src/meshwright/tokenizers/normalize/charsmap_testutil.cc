// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/normalize/charsmap_testutil.h"

#include <cstdint>
#include <vector>

namespace meshwright::tokenizers {
namespace {

// Every node has a block of 256 units for its children.
class Builder {
 public:
  std::string bytes(const std::map<std::string, std::string>& rules) {
    units_.resize(256);
    set_base(0, 256);
    add_block();
    for (const auto& [key, replacement] : rules) {
      std::uint32_t node = 0;
      for (const char byte : key)
        node = child(node, static_cast<unsigned char>(byte));
      units_[node] |= 1u << 8;
      units_[base(node)] = 1u << 31 | static_cast<std::uint32_t>(replacements_.size());
      replacements_ += replacement + '\0';
    }
    std::string out;
    append(out, static_cast<std::uint32_t>(4 * units_.size()));
    for (const std::uint32_t unit : units_)
      append(out, unit);
    return out + replacements_;
  }

 private:
  static void append(std::string& out, std::uint32_t number) {
    for (int shift = 0; shift < 32; shift += 8)
      out += static_cast<char>(number >> shift & 255);
  }
  std::uint32_t add_block() {
    units_.resize(units_.size() + 256);
    return static_cast<std::uint32_t>(units_.size() - 256);
  }
  void set_base(std::uint32_t node, std::uint32_t base) { units_[node] |= (node ^ base) << 10; }
  std::uint32_t base(std::uint32_t node) const { return node ^ units_[node] >> 10; }
  std::uint32_t child(std::uint32_t node, unsigned char label) {
    const std::uint32_t index = base(node) ^ label;
    if (units_[index] == 0) {
      const std::uint32_t block = add_block();
      units_[index] = label;
      set_base(index, block);
    }
    return index;
  }

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

}  // namespace

std::string charsmap_bytes(const std::map<std::string, std::string>& rules) {
  return Builder().bytes(rules);
}

}  // namespace meshwright::tokenizers
