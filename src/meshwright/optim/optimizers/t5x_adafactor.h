// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/config/type_of.h"
#include "meshwright/optim/schedules/schedule_config.h"
#include "meshwright/optim/transforms/slot_dtype.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

/// The role of a dimension in the factorization. batch: a separate array per index, as in a stack
/// of layers.
enum class T5xFactor { none, batch, row, column };

inline config::Choices<T5xFactor> config_choices(T5xFactor) {
  using enum T5xFactor;
  return {{"none", none}, {"batch", batch}, {"row", row}, {"column", column}};
}

/// Returns the axis rules of T5X's models.
std::map<std::string, T5xFactor> t5x_axis_rules();

/// A rule such as { params = "embedding", multiply = false }.
struct ParameterScaleRule {
  std::string params;
  bool multiply = true;

  void fields(auto& f) {
    f.required("params", params, config::kNonEmpty, "Pattern to find anywhere in a path.");
    f.required("multiply", multiply, "Whether to multiply updates by the RMS of the parameter.");
  }
};

struct T5xAdafactorOptions {
  static constexpr char kType[] = "t5x_adafactor";
  ScheduleConfig learning_rate = {};
  int first_step = 0;
  bool factored = true;
  bool multiply_by_parameter_scale = true;
  std::vector<ParameterScaleRule> parameter_scale_rules = {};
  std::optional<double> beta1 = {};
  double decay_rate = 0.8;
  double step_offset = 0;
  std::optional<double> clipping_threshold = 1.0;
  std::optional<double> weight_decay_rate = {};
  /// If set, weight_decay_rate defaults to 1.
  std::optional<double> weight_decay_rate_lr_exponent = {};
  std::int64_t min_dim_size_to_factor = 128;
  double epsilon1 = 1e-30;
  double epsilon2 = 1e-3;
  std::optional<double> max_parameter_scale = {};
  std::optional<SlotDType> momentum_dtype = {};
  bool skip_nan_updates = false;
  /// Without axis rules, the two largest dimensions are factored, and a parameter with more than
  /// two dimensions, not counting stacked layers, is an error.
  std::optional<std::map<std::string, T5xFactor>> axis_rules = {};
  bool standard_axis_rules = false;

  void fields(auto& f) {
    f.optional("factored", factored, "Keep factored second moments.");
    f.optional("multiply_by_parameter_scale", multiply_by_parameter_scale,
               "Multiply updates by the RMS of the parameter.");
    f.optional("parameter_scale_rules", parameter_scale_rules,
               "Exceptions to multiply_by_parameter_scale by path. The first match counts.");
    f.optional("beta1", beta1, config::kBelowOne,
               "Decay rate of the momentum. `none`: no momentum.");
    f.optional("decay_rate", decay_rate, config::kPositive,
               "The decay rate at a step is 1 - step^-decay_rate.");
    f.optional("step_offset", step_offset, "Subtracted from the step.").unit("steps");
    f.optional("clipping_threshold", clipping_threshold, config::kPositive,
               "Upper bound on the RMS of an update.");
    f.optional("weight_decay_rate", weight_decay_rate, config::kNotNegative, "Weight decay.");
    f.optional("weight_decay_rate_lr_exponent", weight_decay_rate_lr_exponent,
               "Multiply weight decay by the learning rate to this power.");
    f.optional("min_dim_size_to_factor", min_dim_size_to_factor, config::kPositive,
               "Arrays with smaller dimensions are not factored.");
    f.optional("epsilon1", epsilon1, config::kNotNegative, "Added to squared gradients.");
    f.optional("epsilon2", epsilon2, config::kNotNegative,
               "Lower bound on the scale of a parameter.");
    f.optional("max_parameter_scale", max_parameter_scale, config::kPositive,
               "Upper bound on the scale of a parameter.");
    f.optional("momentum_dtype", momentum_dtype, "Storage dtype of the momentum. `none`: f32.");
    f.optional("skip_nan_updates", skip_nan_updates,
               "Leave elements unchanged where the update is NaN.");
    f.optional("axis_rules", axis_rules,
               "Roles of dimensions in the factorization, by axis names.");
    f.optional("standard_axis_rules", standard_axis_rules,
               "Apply the axis rules of T5X's models after yours.");
  }
};
/// T5X's Adafactor. Weight decay uses the parameter's value before the update. Slots: m, v_row,
/// v_col, v.
Transform t5x_adafactor(const T5xAdafactorOptions& options, const RunLength& run = {});

}  // namespace meshwright::optim
