// SPDX-License-Identifier: Apache-2.0
// AXLearn's AdaStar, of which AdamW with a schedule of its own and Adafactor with whole second
// moments are cases.
#pragma once

#include <optional>

#include "meshwright/optim/schedules/schedule.h"
#include "meshwright/optim/transforms/decay.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

struct CorrectedAverage {
  double decay = 0.9;
  bool debias = true;  // corrected for its start at zero
};

struct AdaStarMoments {
  std::optional<CorrectedAverage> gradient = CorrectedAverage{};  // absent: the gradient itself
  CorrectedAverage square = {.decay = 0.999};
  double eps = 1e-8;      // added to the root
  double eps_square = 0;  // added to squares before they are averaged
};
/// The average gradient over the root of the average square. Slots: mu, if it is averaged, and nu.
Transform scale_by_adastar(const AdaStarMoments& options = {});

struct AdaStarOptions {
  Schedule learning_rate;
  Schedule update_schedule;  // scales learning rate and decay
  int first_step = 1;
  AdaStarMoments moments = {};
  std::optional<double> clipping_threshold = {};  // of the RMS of each layer's update
  std::optional<CorrectedAverage> update = {};    // absent: updates are not averaged
  double weight_decay = 0;                        // not times the learning rate
  DecayScales decay_scales = {};
};
Transform adastar(const AdaStarOptions& options);

}  // namespace meshwright::optim
