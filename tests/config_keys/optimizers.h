// SPDX-License-Identifier: Apache-2.0
// What the cases of optimizers have in common.
#pragma once

#include <string>
#include <vector>

#include "key_case.h"

namespace meshwright::config_keys {

/// The section of an optimizer with these keys, observed in the step's program.
SectionCases optimizer(const std::string& type, const std::vector<std::vector<KeyCase>>& keys);
/// The keys that all optimizers but Big Vision's have, and those of weight decay.
std::vector<KeyCase> common_keys();
std::vector<KeyCase> decay_keys();

}  // namespace meshwright::config_keys
