// SPDX-License-Identifier: Apache-2.0
// The chat templates that published models were trained with.
#pragma once

#include "meshwright/config/type_of.h"

namespace meshwright::data {

enum class ChatTemplate {
  alpaca,
  chatml,
  deepseek_v2,
  deepseek_v3,
  gemma,
  gemma3,
  llama2,
  llama3,
  mistral_v1,
  mistral_v3,
  mistral_v3_tekken,
  phi3,
  qwen2_5,
  vicuna,
  zephyr,
};

inline config::Choices<ChatTemplate> config_choices(ChatTemplate) {
  using enum ChatTemplate;
  return {{"alpaca", alpaca},
          {"chatml", chatml},
          {"deepseek_v2", deepseek_v2},
          {"deepseek_v3", deepseek_v3},
          {"gemma", gemma},
          {"gemma3", gemma3},
          {"llama2", llama2},
          {"llama3", llama3},
          {"mistral_v1", mistral_v1},
          {"mistral_v3", mistral_v3},
          {"mistral_v3_tekken", mistral_v3_tekken},
          {"phi3", phi3},
          {"qwen2_5", qwen2_5},
          {"vicuna", vicuna},
          {"zephyr", zephyr}};
}

/// Selects the tokens of a conversation that have weight 1.
enum class ChatLoss {
  responses,      // all responses, with their end-of-turn tokens
  last_response,  // only the last response
  all,            // every token
};

inline config::Choices<ChatLoss> config_choices(ChatLoss) {
  using enum ChatLoss;
  return {{"responses", responses}, {"last_response", last_response}, {"all", all}};
}

}  // namespace meshwright::data
