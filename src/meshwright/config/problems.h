// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "meshwright/config/source.h"

namespace meshwright::config {

/// Everything that is wrong with a config, told at once.
class Problems {
 public:
  void add(const Origin& origin, std::string message);
  bool empty() const { return list_.empty(); }
  std::size_t size() const { return list_.size(); }

  /// Throws invalid_argument with all of them, in the order of the sources, unless there are none.
  void throw_if_any() const;

 private:
  struct Problem {
    Origin origin;
    std::string message;
  };

  std::vector<Problem> list_;
};

}  // namespace meshwright::config
