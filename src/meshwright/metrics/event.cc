// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/event.h"

namespace meshwright::metrics {

// Indents the text, so that its content cannot end the block.
std::string markdown_code(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    out += str("    ", text.substr(0, end), "\n");
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
  }
  return out;
}

}  // namespace meshwright::metrics
