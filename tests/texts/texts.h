// SPDX-License-Identifier: Apache-2.0
// Reads the texts that bench/common/texts.py writes.
#pragma once

#include <istream>
#include <string>
#include <vector>

namespace meshwright::test_texts {

/// Reads texts up to the end of the input, each after its number of bytes as a 32-bit number.
/// Throws std::runtime_error if the input ends within a text.
std::vector<std::string> read_texts(std::istream& input);

}  // namespace meshwright::test_texts
