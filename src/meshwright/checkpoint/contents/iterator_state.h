// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace meshwright::checkpoint {

/// A file stored unchanged.
struct KeptFile {
  std::uint64_t num_bytes = 0;
  /// Reads the whole file. Throws if reading fails.
  std::function<std::string()> read;
};

/// The state of another system's data iterator in a checkpoint. Only that system can use it;
/// Meshwright stores it unchanged.
struct IteratorState {
  std::string path;                            // in that system's tree
  std::string type;                            // the system's name for its class
  std::map<std::string, KeptFile> files = {};  // keyed by name in the checkpoint's folder
};

}  // namespace meshwright::checkpoint
