// SPDX-License-Identifier: Apache-2.0
// Instantiates the config types of optim/ once, because they are slow to compile.
#include "meshwright/optim/learner/learner_config.h"

namespace meshwright::config {
template const Type& type_of<optim::ScheduleConfig>();
template const Type& type_of<optim::OptimizerConfig>();
template const Type& type_of<optim::LearnerConfig>();
}  // namespace meshwright::config
