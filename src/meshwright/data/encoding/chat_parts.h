// SPDX-License-Identifier: Apache-2.0
// Internal to encoding/: lays a conversation out by its template.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "meshwright/data/encoding/chat_format.h"
#include "meshwright/data/records/record.h"

namespace meshwright::data {

/// A special token, or text between special tokens.
struct ChatPart {
  enum class Kind { text, special, bos, eos };
  Kind kind = Kind::text;
  std::string text = {};
  int response = -1;  // number of the response that this is part of; -1 for other parts
};

/// Returns the parts of a text of a template, with `content` for {content}.
std::vector<ChatPart> template_parts(const ChatFormat& format,
                                     std::string_view text,
                                     std::string_view content);

/// Returns the parts of a conversation. With `for_generation`, they end where the assistant's next
/// response begins. Throws invalid_argument for messages that the template does not allow.
std::vector<ChatPart> chat_parts(const ChatFormat& format,
                                 std::span<const Message> messages,
                                 bool for_generation);

}  // namespace meshwright::data
