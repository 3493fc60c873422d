// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/core/unknown_rule.h"

#include <string>

#include "meshwright/tokenizers/core/marked_text.h"

namespace meshwright::tokenizers {

void TokenAppender::append_unknown(std::string_view text) {
  if (rule_.bytes.empty()) {
    if (!after_unknown_) ids_.push_back(rule_.unknown);
    after_unknown_ = rule_.fuse;
    return;
  }
  const auto append_bytes = [&](std::string_view bytes) {
    for (const char byte : bytes)
      ids_.push_back(rule_.bytes[static_cast<unsigned char>(byte)]);
  };
  for (std::size_t at = 0; at < text.size(); ++at)
    append_bytes(text[at] == kMark ? kMarkUtf8 : text.substr(at, 1));
}

}  // namespace meshwright::tokenizers
