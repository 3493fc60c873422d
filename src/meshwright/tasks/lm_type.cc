// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tasks/lm.h"

template const meshwright::config::Type& meshwright::config::type_of<meshwright::tasks::LmConfig>();
