// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "meshwright/config/node.h"
#include "meshwright/config/type.h"

namespace meshwright::config {

struct Suggestion {
  std::string text;
  std::string help;  // may be empty
};

/// Completes a key: the keys that start with `typed`, one level at a time. Tables and lists of
/// tables end in '.'. With `resolved`, a config with every key, suggests only keys that exist for
/// the types chosen there.
std::vector<Suggestion> suggest_keys(const Type& type,
                                     const std::string& typed,
                                     const Node* resolved = nullptr);

/// Completes an override `key.path=value`: before the '=', suggests keys like suggest_keys(), with
/// '=' appended to keys that take a value; after it, suggests the key's values if they form a
/// closed set.
std::vector<Suggestion> suggest_overrides(const Type& type,
                                          const std::string& typed,
                                          const Node* resolved = nullptr);

}  // namespace meshwright::config
