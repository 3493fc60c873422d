// SPDX-License-Identifier: Apache-2.0
// Config shared by all models that have a stack of layers.
#pragma once

#include <optional>
#include <string_view>

#include "meshwright/config/type_of.h"
#include "meshwright/nn/stack.h"

namespace meshwright::tasks {

enum class StackChoice { automatic, scanned, unrolled };
inline config::Choices<StackChoice> config_choices(StackChoice) {
  return {{"auto", StackChoice::automatic},
          {"scanned", StackChoice::scanned},
          {"unrolled", StackChoice::unrolled}};
}

enum class RematChoice { nothing, dots, qkv, attention, saved };
inline config::Choices<RematChoice> config_choices(RematChoice) {
  return {{"nothing", RematChoice::nothing},
          {"dots", RematChoice::dots},
          {"qkv", RematChoice::qkv},
          {"attention", RematChoice::attention},
          {"saved", RematChoice::saved}};
}

struct StackConfig {
  double dropout = 0;
  StackChoice stack = StackChoice::automatic;
  std::optional<config::OneOrMore<RematChoice>> remat, offload;

  void stack_fields(auto& f) {
    f.optional("dropout", dropout, config::kBelowOne, "Dropout rate of activations.");
    f.optional(
        "stack", stack,
        "Compile the layers as one loop, or each by itself, which takes longer. `auto`: each "
        "by itself on CPUs, where a loop copies its inputs, and on a single GPU, where steps "
        "are up to 13% faster.");
    f.optional("remat", remat,
               "Values of each layer that the backward pass keeps instead of recomputing; several "
               "are added up. `none`: all that it needs. `dots`: products with weights. `qkv`: "
               "queries, keys and values. `attention`: the result of attention, with which its "
               "gradient needs no second softmax. `saved`: values that the model marks.");
    f.optional(
        "offload", offload,
        "Values of each layer that wait in pinned memory of the host for the backward pass: "
        "any of those of `remat`, which need not name them. Without `remat`, only those that "
        "the backward pass itself reads. `none`: no values.");
  }

  /// Replaces "auto" with the best choice for the devices.
  void choose_stack(std::string_view platform, std::int64_t num_devices);
  /// Copies these settings to a model's config.
  template <typename ModelConfig>
  void set(ModelConfig& model) const {
    model.dropout = dropout;
    model.stack = form();
    model.remat = save_policy();
  }
  nn::StackForm form() const;
  std::optional<graph::SavePolicy> save_policy() const;
};

/// Assigns *value to `member` if `value` is present.
template <typename T>
void set_if(T& member, const std::optional<T>& value) {
  if (value) member = *value;
}

}  // namespace meshwright::tasks
