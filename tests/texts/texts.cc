// SPDX-License-Identifier: Apache-2.0
#include "texts/texts.h"

#include <cstdint>
#include <cstring>
#include <iterator>
#include <stdexcept>

namespace meshwright::test_texts {

std::vector<std::string> read_texts(std::istream& input) {
  const std::string all((std::istreambuf_iterator<char>(input)), {});
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < all.size();) {
    std::uint32_t size = 0;
    if (all.size() - at < sizeof size) throw std::runtime_error("the size of a text is cut off");
    std::memcpy(&size, all.data() + at, sizeof size);
    at += sizeof size;
    if (all.size() - at < size) throw std::runtime_error("a text is cut off");
    texts.push_back(all.substr(at, size));
    at += size;
  }
  return texts;
}

}  // namespace meshwright::test_texts
