// SPDX-License-Identifier: Apache-2.0
// What configs know of the types of this folder, compiled once: it takes long.
#include "meshwright/optim/learner/learner_config.h"

namespace meshwright::config {
template const Type& type_of<optim::ScheduleConfig>();
template const Type& type_of<optim::OptimizerConfig>();
template const Type& type_of<optim::LearnerConfig>();
}  // namespace meshwright::config
