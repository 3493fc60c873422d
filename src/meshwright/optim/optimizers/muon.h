// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/optim/schedules/schedule_config.h"
#include "meshwright/optim/transforms/adam_moments.h"
#include "meshwright/optim/transforms/decay.h"

namespace meshwright::optim {

struct MuonOptions {
  static constexpr char kType[] = "muon";
  ScheduleConfig learning_rate = {};
  int first_step = 1;
  double beta = 0.95;
  int iterations = 5;
  bool muon_nesterov = true;
  std::optional<double> consistent_rms = 0.2;  // about the RMS of AdamW's updates
  double eps = 1e-8;                           // added to the norm of a matrix; not in configs
  /// Coefficients of the polynomial that one iteration applies. Not in configs.
  std::array<double, 3> coefficients = {3.4445, -4.7750, 2.0315};
  /// Patterns of the matrices that AdamW trains, in addition to all parameters that are not
  /// matrices.
  std::vector<std::string> adamw_params = {};
  std::optional<ScheduleConfig> adamw_learning_rate = {};
  AdamMoments adam = {};  // for AdamW; mu_dtype also applies to Muon's momentum
  WeightDecay weight_decay = {};

  void fields(auto& f) {
    f.optional("beta", beta, config::kBelowOne, "Decay rate of the momentum of matrices.");
    f.optional("iterations", iterations, config::kPositive, "Number of Newton-Schulz iterations.");
    f.optional("muon_nesterov", muon_nesterov, "Use Nesterov momentum for matrices.");
    f.optional("consistent_rms", consistent_rms, config::kPositive,
               "RMS that updates are scaled to. `none`: multiply by sqrt(max(1, columns / rows)).");
    f.optional("adamw_params", adamw_params, "Patterns of matrices to train with AdamW.");
    f.optional("adamw_learning_rate", adamw_learning_rate, config::kNotNegative,
               "Learning rate of AdamW. `none`: the same.");
    adam.fields(f);
    weight_decay.fields(f);
  }
};
/// Muon: orthogonalises the momentum of each matrix by Newton-Schulz iterations, which make its
/// singular values nearly equal. A parameter is a matrix if it has two dimensions, inputs first,
/// not counting stacked layers, or if it declares its rows and columns. Slots and summaries are
/// under matrices/ (muon/mu) and rest/ (those of AdamW).
Transform muon(const MuonOptions& options, const RunLength& run = {});

}  // namespace meshwright::optim
