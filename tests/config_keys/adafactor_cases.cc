// SPDX-License-Identifier: Apache-2.0
// The optimizers with factored second moments, and AdaStar.
#include "meshwright/base/str.h"
#include "optimizers.h"
#include "programs.h"
#include "small_configs.h"

namespace meshwright::config_keys {
namespace {

SectionCases axlearn() {
  return optimizer(
      "axlearn_adafactor",
      {common_keys(),
       decay_keys(),
       {{"b1", "0.5"},
        {"b2", "0.5"},
        {"decay_exponent", "0.5"},
        {"multiply_by_parameter_scale", "true"},
        {"clipping_threshold", "0.5"},
        {"momentum_dtype", "bf16", {"optimizer.b1=0.5"}},
        {"eps", "1e-3"},
        // Only parameters that declare their rows and columns are factored.
        {"factored", "false", {}, declaring_step_program},
        {"trust_ratio", "true"},
        {"weight_decay_learning_rate_exponent", "0.5", {"optimizer.weight_decay=0.125"}}}});
}

SectionCases optax() {
  return optimizer("optax_adafactor",
                   {common_keys(),
                    decay_keys(),
                    {{"min_dim_size_to_factor", "8"},
                     {"decay_rate", "0.5"},
                     {"decay_offset", "3"},
                     {"multiply_by_parameter_scale", "false"},
                     {"clipping_threshold", "0.5"},
                     {"momentum", "0.5"},
                     {"momentum_dtype", "bf16", {"optimizer.momentum=0.5"}},
                     {"eps", "1e-3"},
                     {"factored", "false", {"optimizer.min_dim_size_to_factor=8"}}}});
}

SectionCases t5x() {
  SectionCases out = optimizer(
      "t5x_adafactor", {common_keys(),
                        {{"factored", "false"},
                         {"multiply_by_parameter_scale", "false"},
                         {"parameter_scale_rules", "[{ params = 'embed', multiply = false }]"},
                         {"beta1", "0.5"},
                         {"decay_rate", "0.5"},
                         {"step_offset", "3"},
                         {"clipping_threshold", "0.5"},
                         {"weight_decay_rate", "0.125"},
                         {"weight_decay_rate_lr_exponent", "0.5"},
                         {"min_dim_size_to_factor", "16"},
                         {"epsilon1", "1e-3"},
                         {"epsilon2", "0.5"},
                         {"max_parameter_scale", "2.0"},
                         {"momentum_dtype", "bf16", {"optimizer.beta1=0.5"}},
                         {"skip_nan_updates", "true"},
                         {"axis_rules", "{ embed = 'column', vocab = 'row', mlp = 'row' }"}}});
  // Arrays of more than two dimensions are factored only if rules for their axes say so.
  out.with = {
      "optimizer={ type = \"t5x_adafactor\", learning_rate = 0.125, min_dim_size_to_factor = 2 }",
      "optimizer.axis_rules={ layers = 'batch', vocab = 'column', embed = 'row', mlp = 'column', "
      "kv = 'none', q = 'none', dim = 'none' }"};
  return out;
}

// Rules for all axes except those of T5X's models.
SectionCases t5x_with_standard_rules() {
  SectionCases out = optimizer("t5x_adafactor", {{{"standard_axis_rules", "true"}}});
  out.with.push_back("optimizer.axis_rules={ kv = 'none', q = 'none', dim = 'none' }");
  out.observe = step_program_or_error;
  return out;
}

SectionCases adastar() {
  return optimizer("adastar", {common_keys(),
                               decay_keys(),
                               {{"update_schedule", "0.5"},
                                {"gradient_decay", "0.5"},
                                {"gradient_debias", "false"},
                                {"square_decay", "0.5"},
                                {"square_debias", "false"},
                                {"eps", "1e-3"},
                                {"eps_square", "1e-3"},
                                {"clipping_threshold", "0.5"},
                                {"update_decay", "0.5"},
                                {"update_debias", "true", {"optimizer.update_decay=0.5"}}}});
}

}  // namespace

Cases adafactor_cases() {
  SectionCases rule = t5x();
  rule.id = "optimizer[t5x_adafactor].parameter_scale_rules.0";
  rule.with.push_back("optimizer.parameter_scale_rules=[{ params = 'embed', multiply = false }]");
  rule.keys = {{"params", "norm"}, {"multiply", "true"}};
  return {axlearn(), optax(), t5x(), t5x_with_standard_rules(), std::move(rule), adastar()};
}

}  // namespace meshwright::config_keys
