// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "meshwright/io/io_testutil.h"

namespace meshwright::cli {
struct RunConfig;
}

namespace meshwright::config_keys {

/// Makes a folder the working directory while it lives, so that a config's own paths are used.
class InFolder {
 public:
  explicit InFolder(const std::filesystem::path& folder) { std::filesystem::current_path(folder); }
  ~InFolder() { std::filesystem::current_path(before_); }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
};

/// The console output of a run, and the message of the error that ended it or "no error".
struct Ran {
  std::string console;
  std::string error;
};
/// Trains in the working directory, on the first mesh.num_devices of 8 devices.
Ran train_here(const cli::RunConfig& config);

}  // namespace meshwright::config_keys
