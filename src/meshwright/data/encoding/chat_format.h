// SPDX-License-Identifier: Apache-2.0
// Internal to encoding/: chat templates as data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "meshwright/data/encoding/chat_template.h"

namespace meshwright::data {

enum class SystemPlace {
  none,             // not supported
  own_anywhere,     // a turn of its own, at any position
  own_first,        // a turn of its own, only as the first message
  first_user_turn,  // put before the content of the first user message
  last_user_turn,   // put before the content of the last user message
};

enum class ChatTrim { nothing, everything, responses };

/// The texts around messages. In them, {content} stands for the content of the message, {bos} and
/// {eos} for the tokenizer's tokens, and each element of `special` for one token.
struct ChatFormat {
  ChatTemplate name;
  std::vector<std::string_view> special = {};
  std::string_view start = {};
  std::string_view system = {};
  std::string_view user = {};
  std::string_view assistant = {};  // ends where the response begins
  std::string_view response = {};   // ends with the end-of-turn token
  std::string_view after_response = {};
  std::string_view separator = {};       // between messages
  std::string_view end = {};             // after the last message
  std::string_view default_system = {};  // if the first message is not a system message
  SystemPlace system_place = SystemPlace::own_anywhere;
  ChatTrim trim = ChatTrim::nothing;
  bool trim_with_system = false;  // trim the user message after putting the system message before
  bool alternate = false;         // users and assistants must alternate, beginning with a user
  bool drop_reasoning = false;    // drop a response's text up to the last </think>
};

const ChatFormat& chat_format(ChatTemplate name);
/// Returns the special tokens that end a response in any of the templates.
std::vector<std::string_view> end_of_turn_markers();
/// Returns the name of a template in configs.
std::string chat_template_name(ChatTemplate name);

}  // namespace meshwright::data
