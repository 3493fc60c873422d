// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace meshwright::config_keys {

/// Returns why `test` does not observe a key of this name: no source file has the test, or the file
/// does not mention the key. Empty if it may observe it. A test is "Suite.Name" of GoogleTest or
/// "file.py: test_name" of Python.
std::string flaw_of_named_test(const std::string& test, const std::string& key);

}  // namespace meshwright::config_keys
