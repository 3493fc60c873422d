// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/encoding/chat_format.h"

#include <algorithm>

#include "meshwright/base/error.h"

namespace meshwright::data {
namespace {

const ChatFormat kChatml = {
    .name = ChatTemplate::chatml,
    .special = {"<|im_start|>", "<|im_end|>"},
    .system = "<|im_start|>system\n{content}<|im_end|>\n",
    .user = "<|im_start|>user\n{content}<|im_end|>\n",
    .assistant = "<|im_start|>assistant\n",
    .response = "{content}<|im_end|>",
    .after_response = "\n",
};

ChatFormat qwen2_5() {
  ChatFormat format = kChatml;
  format.name = ChatTemplate::qwen2_5;
  format.default_system = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.";
  return format;
}

const ChatFormat kLlama2 = {
    .name = ChatTemplate::llama2,
    .system = "<<SYS>>\n{content}\n<</SYS>>\n\n",
    .user = "{bos}[INST] {content} [/INST]",
    .response = " {content} {eos}",
    .system_place = SystemPlace::first_user_turn,
    .trim = ChatTrim::everything,
    .trim_with_system = true,
    .alternate = true,
};

const ChatFormat kLlama3 = {
    .name = ChatTemplate::llama3,
    .special = {"<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"},
    .start = "{bos}",
    .system = "<|start_header_id|>system<|end_header_id|>\n\n{content}<|eot_id|>",
    .user = "<|start_header_id|>user<|end_header_id|>\n\n{content}<|eot_id|>",
    .assistant = "<|start_header_id|>assistant<|end_header_id|>\n\n",
    .response = "{content}<|eot_id|>",
    .trim = ChatTrim::everything,
};

const ChatFormat kGemma = {
    .name = ChatTemplate::gemma,
    .special = {"<start_of_turn>", "<end_of_turn>"},
    .start = "{bos}",
    .user = "<start_of_turn>user\n{content}<end_of_turn>\n",
    .assistant = "<start_of_turn>model\n",
    .response = "{content}<end_of_turn>",
    .after_response = "\n",
    .system_place = SystemPlace::none,
    .trim = ChatTrim::everything,
    .alternate = true,
};

ChatFormat gemma3() {
  ChatFormat format = kGemma;
  format.name = ChatTemplate::gemma3;
  format.system = "{content}\n\n";
  format.system_place = SystemPlace::first_user_turn;
  return format;
}

const ChatFormat kMistralV1 = {
    .name = ChatTemplate::mistral_v1,
    .start = "{bos}",
    .system = "{content}\n\n",
    .user = " [INST] {content} [/INST]",
    .response = " {content}{eos}",
    .system_place = SystemPlace::first_user_turn,
    .alternate = true,
};

const ChatFormat kMistralV3 = {
    .name = ChatTemplate::mistral_v3,
    .special = {"[INST]", "[/INST]"},
    .start = "{bos}",
    .system = "{content}\n\n",
    .user = "[INST] {content}[/INST]",
    .response = " {content}{eos}",
    .system_place = SystemPlace::last_user_turn,
    .trim = ChatTrim::responses,
    .alternate = true,
};

ChatFormat mistral_v3_tekken() {
  ChatFormat format = kMistralV3;
  format.name = ChatTemplate::mistral_v3_tekken;
  format.user = "[INST]{content}[/INST]";
  format.response = "{content}{eos}";
  format.trim = ChatTrim::nothing;
  return format;
}

const ChatFormat kPhi3 = {
    .name = ChatTemplate::phi3,
    .special = {"<|system|>", "<|user|>", "<|assistant|>", "<|end|>"},
    .system = "<|system|>\n{content}<|end|>\n",
    .user = "<|user|>\n{content}<|end|>\n",
    .assistant = "<|assistant|>\n",
    .response = "{content}<|end|>",
    .after_response = "\n",
    .end = "{eos}",
};

const ChatFormat kZephyr = {
    .name = ChatTemplate::zephyr,
    .system = "<|system|>\n{content}{eos}\n",
    .user = "<|user|>\n{content}{eos}\n",
    .assistant = "<|assistant|>\n",
    .response = "{content}{eos}",
    .after_response = "\n",
};

const ChatFormat kAlpaca = {
    .name = ChatTemplate::alpaca,
    .start = "{bos}",
    .system = "{content}",
    .user = "### Instruction:\n{content}",
    .assistant = "### Response:\n",
    .response = "{content}{eos}",
    .separator = "\n\n",
    .system_place = SystemPlace::own_first,
};

const ChatFormat kVicuna = {
    .name = ChatTemplate::vicuna,
    .start = "{bos}",
    .system = "{content} ",
    .user = "USER: {content} ",
    .assistant = "ASSISTANT:",
    .response = " {content}{eos}",
    .default_system =
        "A chat between a curious user and an artificial intelligence assistant. "
        "The assistant gives helpful, detailed, and polite answers to the user's "
        "questions.",
    .system_place = SystemPlace::own_first,
};

const ChatFormat kDeepseekV2 = {
    .name = ChatTemplate::deepseek_v2,
    .start = "{bos}",
    .system = "{content}\n\n",
    .user = "User: {content}\n\n",
    .assistant = "Assistant:",
    .response = " {content}{eos}",
};

const ChatFormat kDeepseekV3 = {
    .name = ChatTemplate::deepseek_v3,
    .special = {"<\uFF5CUser\uFF5C>", "<\uFF5CAssistant\uFF5C>"},
    .start = "{bos}",
    .system = "{content}",
    .user = "<\uFF5CUser\uFF5C>{content}",
    .assistant = "<\uFF5CAssistant\uFF5C>",
    .response = "{content}{eos}",
    .system_place = SystemPlace::own_first,
    .drop_reasoning = true,
};

}  // namespace

const ChatFormat& chat_format(ChatTemplate name) {
  static const std::vector<ChatFormat> formats = {
      kAlpaca, kChatml,    kDeepseekV2, kDeepseekV3,         kGemma, gemma3(),  kLlama2,
      kLlama3, kMistralV1, kMistralV3,  mistral_v3_tekken(), kPhi3,  qwen2_5(), kVicuna,
      kZephyr};
  for (const ChatFormat& format : formats)
    if (format.name == name) return format;
  fail(ErrorCode::internal, "no chat template number ", static_cast<int>(name));
}

std::string chat_template_name(ChatTemplate name) {
  for (const auto& [text, value] : config_choices(name))
    if (value == name) return text;
  return "unknown";
}

std::vector<std::string_view> end_of_turn_markers() {
  std::vector<std::string_view> out;
  for (const auto& [name, value] : config_choices(ChatTemplate())) {
    const ChatFormat& format = chat_format(value);
    const std::string_view end = format.response.substr(format.response.find("{content}"));
    for (const std::string_view marker : format.special)
      if (end.find(marker) != end.npos && std::ranges::count(out, marker) == 0)
        out.push_back(marker);
  }
  return out;
}

}  // namespace meshwright::data
