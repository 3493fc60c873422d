// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/loop/policy.h"

template const meshwright::config::Type& meshwright::config::type_of<meshwright::train::When>();
