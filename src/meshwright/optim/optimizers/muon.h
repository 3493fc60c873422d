// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/optim/optimizers/optimizers.h"
#include "meshwright/optim/transforms/decay.h"
#include "meshwright/optim/transforms/scale.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

struct MuonMoments {
  double beta = 0.95;
  bool nesterov = true;
  double eps = 1e-8;
  int iterations = 5;
  std::array<double, 3> coefficients = {3.4445, -4.7750, 2.0315};
  /// Updates of matrices then have this root mean square whatever their shape, as AdamW's have
  /// about 0.2; absent: times sqrt(max(1, columns / rows)).
  std::optional<double> consistent_rms = {};
  std::optional<DType> mu_dtype = {};
};
/// The momentum with its singular values made nearly equal, by Newton and Schulz's iteration. Slot:
/// mu. For matrices: parameters of two dimensions, or that declare which are rows and columns; each
/// stacked layer is one of its own. The first dimension, or the rows, are the inputs. Throws
/// invalid_argument for another parameter.
Transform scale_by_muon(const MuonMoments& options = {});

bool is_matrix(const ParamSpec& spec);

struct MuonOptions {
  Schedule learning_rate;
  LearningRateOptions rate = {};
  MuonMoments moments = {};
  double weight_decay = 0;
  DecayScales decay_scales = {};
  /// For what is no matrix, and for paths that match one of these patterns (embeddings, heads).
  AdamWOptions adamw = {};
  std::vector<std::string> adamw_params = {};
};
/// Slots and summaries lie below matrices/ and rest/.
Transform muon(const MuonOptions& options);

}  // namespace meshwright::optim
