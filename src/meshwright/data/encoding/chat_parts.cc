// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/encoding/chat_parts.h"

#include <algorithm>
#include <array>
#include <optional>

#include "meshwright/base/error.h"

namespace meshwright::data {
namespace {

constexpr std::string_view kContent = "{content}", kBos = "{bos}", kEos = "{eos}";

// White space of Python's str.strip(), which templates trim with.
constexpr std::array<std::string_view, 29> kSpaces = {
    " ",      "\t",     "\n",     "\v",     "\f",     "\r",     "\x1c",   "\x1d",
    "\x1e",   "\x1f",   "\u0085", "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002",
    "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a",
    "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};

std::string_view trimmed(std::string_view text) {
  const auto leads = [&](std::string_view space) { return text.starts_with(space); };
  const auto trails = [&](std::string_view space) { return text.ends_with(space); };
  for (auto at = kSpaces.begin();
       (at = std::find_if(kSpaces.begin(), kSpaces.end(), leads)) != kSpaces.end();)
    text.remove_prefix(at->size());
  for (auto at = kSpaces.begin();
       (at = std::find_if(kSpaces.begin(), kSpaces.end(), trails)) != kSpaces.end();)
    text.remove_suffix(at->size());
  return text;
}

struct Mark {
  std::string_view text;
  std::size_t at = std::string_view::npos;
};

Mark next_mark(const ChatFormat& format, std::string_view text, std::size_t from) {
  Mark first;
  const auto consider = [&](std::string_view mark) {
    const std::size_t at = text.find(mark, from);
    if (at < first.at) first = {mark, at};
  };
  for (std::string_view mark : {kContent, kBos, kEos})
    consider(mark);
  for (std::string_view mark : format.special)
    consider(mark);
  return first;
}

void append_text(std::vector<ChatPart>& parts, std::string_view text, int response) {
  if (text.empty()) return;
  const bool joins = !parts.empty() && parts.back().kind == ChatPart::Kind::text &&
                     parts.back().response == response;
  if (joins)
    parts.back().text += text;
  else
    parts.push_back({.text = std::string(text), .response = response});
}

class ChatLayout {
 public:
  explicit ChatLayout(const ChatFormat& format) : format_(format) {}

  void add(std::string_view text, std::string_view content = {}, int response = -1) {
    std::size_t from = 0;
    for (Mark mark; (mark = next_mark(format_, text, from)).at != std::string_view::npos;
         from = mark.at + mark.text.size()) {
      append_text(parts_, text.substr(from, mark.at - from), response);
      add_mark(mark.text, content, response);
    }
    append_text(parts_, text.substr(from), response);
  }

  std::vector<ChatPart> take() { return std::move(parts_); }

 private:
  void add_mark(std::string_view mark, std::string_view content, int response) {
    using enum ChatPart::Kind;
    if (mark == kContent) return append_text(parts_, content, response);
    const ChatPart::Kind kind = mark == kBos ? bos : mark == kEos ? eos : special;
    parts_.push_back({kind, kind == special ? std::string(mark) : std::string(), response});
  }

  const ChatFormat& format_;
  std::vector<ChatPart> parts_;
};

bool in_user_turn(SystemPlace place) {
  return place == SystemPlace::first_user_turn || place == SystemPlace::last_user_turn;
}

void check_system(const ChatFormat& format, std::size_t index) {
  const std::string name = chat_template_name(format.name);
  if (format.system_place == SystemPlace::none) {
    fail(ErrorCode::invalid_argument, "message ", index, ": chat template ", name,
         " does not support system messages");
  }
  if (format.system_place != SystemPlace::own_anywhere && index > 0) {
    fail(ErrorCode::invalid_argument, "message ", index, ": chat template ", name,
         " supports a system message only at the start");
  }
}

void check_messages(const ChatFormat& format, std::span<const Message> messages) {
  if (messages.empty()) fail(ErrorCode::invalid_argument, "the conversation has no messages");
  bool user_next = true;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::string_view role = messages[i].role;
    if (role == "system") {
      check_system(format, i);
      continue;
    }
    if (role != "user" && role != "assistant") {
      fail(ErrorCode::invalid_argument, "message ", i, ": unknown role '", role,
           "', expected system, user or assistant");
    }
    if (format.alternate && (role == "user") != user_next) {
      fail(ErrorCode::invalid_argument, "message ", i, ": expected role '",
           user_next ? "user" : "assistant", "', got '", role, "': in chat template ",
           chat_template_name(format.name), " users and assistants alternate");
    }
    user_next = role == "assistant";
  }
  if (in_user_turn(format.system_place) && messages.size() == 1 && messages[0].role == "system")
    fail(ErrorCode::invalid_argument, "the conversation has only a system message");
}

// The user message that the system message is put into.
std::optional<std::size_t> user_with_system(const ChatFormat& format,
                                            std::span<const Message> messages) {
  if (!in_user_turn(format.system_place) || messages[0].role != "system") return std::nullopt;
  if (format.system_place == SystemPlace::first_user_turn) return 1;
  std::size_t last = messages.size() - 1;
  while (messages[last].role != "user")
    --last;
  return last;
}

std::string user_content(const ChatFormat& format,
                         std::string_view content,
                         std::optional<std::string_view> system) {
  const bool trim = format.trim == ChatTrim::everything;
  std::string out;
  if (system) {
    ChatLayout prefix(format);
    prefix.add(format.system, *system);
    for (const ChatPart& part : prefix.take())
      out += part.text;
  }
  out += trim && !format.trim_with_system ? trimmed(content) : content;
  return trim && format.trim_with_system ? std::string(trimmed(out)) : out;
}

std::string_view response_content(const ChatFormat& format, std::string_view content) {
  constexpr std::string_view kThought = "</think>";
  if (format.drop_reasoning) {
    const std::size_t at = content.rfind(kThought);
    if (at != std::string_view::npos) content.remove_prefix(at + kThought.size());
  }
  return format.trim == ChatTrim::nothing ? content : trimmed(content);
}

}  // namespace

std::vector<ChatPart> template_parts(const ChatFormat& format,
                                     std::string_view text,
                                     std::string_view content) {
  ChatLayout layout(format);
  layout.add(text, content);
  return layout.take();
}

std::vector<ChatPart> chat_parts(const ChatFormat& format,
                                 std::span<const Message> messages,
                                 bool for_generation) {
  check_messages(format, messages);
  ChatLayout layout(format);
  layout.add(format.start);
  if (!format.default_system.empty() && messages[0].role != "system")
    layout.add(format.system, format.default_system);
  const std::optional<std::size_t> with_system = user_with_system(format, messages);
  int num_responses = 0;
  for (std::size_t i = with_system ? 1 : 0; i < messages.size(); ++i) {
    const Message& message = messages[i];
    if (i > (with_system ? 1u : 0u)) layout.add(format.separator);
    if (message.role == "system") {
      const bool trim = format.trim == ChatTrim::everything;
      layout.add(format.system, trim ? trimmed(message.content) : message.content);
    } else if (message.role == "user") {
      std::optional<std::string_view> system;
      if (with_system == i) system = messages[0].content;
      layout.add(format.user, user_content(format, message.content, system));
    } else {
      layout.add(format.assistant);
      layout.add(format.response, response_content(format, message.content), num_responses++);
      layout.add(format.after_response);
    }
  }
  if (for_generation) layout.add(format.separator);
  layout.add(for_generation ? format.assistant : format.end);
  return layout.take();
}

}  // namespace meshwright::data
