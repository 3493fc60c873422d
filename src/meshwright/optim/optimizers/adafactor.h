// SPDX-License-Identifier: Apache-2.0
// Four optimizers are called Adafactor, one in each of the systems that this program continues runs
// of. They differ in what is factored, in the order of clipping, learning rate, scale of the
// parameter, momentum and decay, and in what counts as one array; so they stay four.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/optim/schedules/schedule.h"
#include "meshwright/optim/transforms/decay.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

/// AXLearn's. Factored are the parameters that declare a row and a column. Clipping and scales are
/// by layer.
struct AxlearnAdafactorOptions {
  Schedule learning_rate;  // absent: none
  int first_step = 1;
  Schedule b1 = {};  // absent: no momentum; averages are not corrected for their start
  Schedule b2 = adafactor_decay_rate();
  bool multiply_by_parameter_scale = false;
  std::optional<double> clipping_threshold = 1.0;
  std::optional<DType> momentum_dtype = f32;
  std::optional<double> weight_decay = {};
  double weight_decay_learning_rate_exponent = 0;
  DecayScales decay_scales = {};
  double eps = 1e-30;
  bool factored = true;
  bool scale_by_trust_ratio = false;  // over eps, as LAMB
};
Transform axlearn_adafactor(const AxlearnAdafactorOptions& options);

/// optax's. Factored by size, arrays whole.
struct OptaxAdafactorOptions {
  Schedule learning_rate;  // absent: none
  int first_step = 0;
  std::int64_t min_dim_size_to_factor = 128;
  double decay_rate = 0.8;
  double decay_offset = 0;
  bool multiply_by_parameter_scale = true;
  std::optional<double> clipping_threshold = 1.0;
  std::optional<double> momentum = {};
  std::optional<DType> momentum_dtype = f32;
  std::optional<double> weight_decay = {};
  DecayScales decay_scales = {};
  double eps = 1e-30;
  bool factored = true;
};
Transform optax_adafactor(const OptaxAdafactorOptions& options);

/// Big Vision's: the scaling alone, with a decay rate that stays below a cap. Learning rate and
/// decay come from its chain (big_vision.h).
struct BigVisionAdafactorOptions {
  std::int64_t min_dim_size_to_factor = 32;
  double decay_rate = 0.8;
  double decay_offset = 0;
  double beta2_cap = 0.999;
  std::optional<double> clipping_threshold = {};
  std::optional<double> momentum = 0.9;
  std::optional<DType> momentum_dtype = bf16;
  double eps = 1e-30;
};
Transform scale_by_big_vision_adafactor(const BigVisionAdafactorOptions& options = {});

/// What T5X does with a dimension: averages over a row or a column, keeps layers apart (batch).
enum class T5xFactor { none, batch, row, column };

/// T5X's. The parameters shrink first, then they move; both happen in one update.
struct T5xAdafactorOptions {
  Schedule learning_rate;
  int first_step = 0;
  /// false: slots as large as the parameters. Each layer of a stack is an array of its own, as in
  /// T5X without a scan over layers.
  bool factored = true;
  bool multiply_by_parameter_scale = true;
  /// Overrides the line above for paths in which a pattern is found anywhere.
  std::vector<std::pair<std::string, bool>> parameter_scale_rules = {};
  std::optional<double> beta1 = {};
  double decay_rate = 0.8;
  double step_offset = 0;
  std::optional<double> clipping_threshold = 1.0;
  std::optional<double> weight_decay_rate = {};
  /// Decays by (weight_decay_rate or 1) * learning_rate^exponent.
  std::optional<double> weight_decay_rate_lr_exponent = {};
  std::int64_t min_dim_size_to_factor = 128;
  double epsilon1 = 1e-30;
  double epsilon2 = 1e-3;  // the least scale of a parameter
  std::optional<double> max_parameter_scale = {};
  std::optional<double> global_norm_clip_threshold = {};
  std::optional<DType> momentum_dtype = f32;
  bool skip_nan_updates = false;  // an element that would become NaN stays, in slots too
  /// From names of axes. Empty: the two largest dimensions, which is refused for parameters of more
  /// than two (without those that count layers).
  std::map<std::string, T5xFactor> axis_rules = {};
};
Transform t5x_adafactor(const T5xAdafactorOptions& options);

/// The rules for axes that T5X's models use.
std::map<std::string, T5xFactor> t5x_axis_rules();

}  // namespace meshwright::optim
