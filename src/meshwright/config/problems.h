// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "meshwright/config/source.h"

namespace meshwright::config {

/// Collects all errors in a config, so that they are reported at once.
class Problems {
 public:
  void add(const Origin& origin, std::string message);
  bool empty() const { return list_.empty(); }
  std::size_t size() const { return list_.size(); }

  /// Throws invalid_argument with all errors, ordered by source, if there are any.
  void throw_if_any() const;

 private:
  struct Problem {
    Origin origin;
    std::string message;
  };

  std::vector<Problem> list_;
};

}  // namespace meshwright::config
