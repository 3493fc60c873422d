// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "meshwright/base/error_with_remedy.h"
#include "meshwright/config/source.h"

namespace meshwright::config {

/// Returns advice to look up the keys of a table, or of the whole config if `table` is empty.
Remedy list_keys(const std::string& table);

/// Collects all errors in a config, so that they are reported at once.
class Problems {
 public:
  void add(const Origin& origin, std::string message);
  /// Advises to look up the keys of this table.
  void suggest_keys_of(const std::string& table) { tables_.push_back(table); }
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
  std::vector<std::string> tables_;
};

}  // namespace meshwright::config
