// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace meshwright::checkpoint {

/// A file that is kept as it is.
struct KeptFile {
  std::uint64_t num_bytes = 0;
  /// All of it. Throws as reading does.
  std::function<std::string()> read;
};

/// The position of an iterator in its data, as another system left it in a checkpoint. Only that
/// system can make use of it: it is kept, and is no position in our data.
struct IteratorState {
  std::string path;                            // in that system's tree
  std::string type;                            // what that system calls its class
  std::map<std::string, KeptFile> files = {};  // by names in the step's folder
};

}  // namespace meshwright::checkpoint
