// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace meshwright::checkpoint {

/// A file kept byte for byte.
struct KeptFile {
  std::uint64_t num_bytes = 0;
  /// Reads the whole file. Throws as reading does.
  std::function<std::string()> read;
};

/// The state of another system's data iterator, as it stands in a checkpoint. Only that system can
/// use it; we keep it unchanged.
struct IteratorState {
  std::string path;                            // in that system's tree
  std::string type;                            // what that system calls its class
  std::map<std::string, KeptFile> files = {};  // by names in the step's folder
};

}  // namespace meshwright::checkpoint
