// SPDX-License-Identifier: Apache-2.0
// Shared parts of the cases of optimizers.
#pragma once

#include <string>
#include <vector>

#include "key_case.h"

namespace meshwright::config_keys {

/// Returns the section of an optimizer with these keys, observed in the program of the step.
SectionCases optimizer(const std::string& type, const std::vector<std::vector<KeyCase>>& keys);
/// Return the keys of all optimizers except Big Vision's, and those of weight decay.
std::vector<KeyCase> common_keys();
std::vector<KeyCase> decay_keys();

}  // namespace meshwright::config_keys
