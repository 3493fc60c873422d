// SPDX-License-Identifier: Apache-2.0
// Internal to containers/.
#pragma once

#include <string>

#include "meshwright/checkpoint/format/container.h"

namespace meshwright::checkpoint {

/// A file or folder that is written under another name and appears when it is complete.
class NewFolder {
 public:
  /// Throws already_exists if something is at the path, and invalid_argument if files cannot be
  /// renamed. Removes what an interrupted attempt has left, unless this one continues it.
  NewFolder(Files files, std::string path, bool continues);

  /// The name to write to meanwhile, relative to the files given.
  const std::string& unfinished() const { return unfinished_; }
  /// Creates it as a folder, and returns the files below it.
  Files make_folder();
  /// The final path, for messages.
  std::string full_name() const;

  /// Gives it its name, durably.
  void publish();
  /// Removes it as far as possible.
  void abandon() noexcept;

 private:
  Files files_;
  std::string path_;
  std::string unfinished_;
};

}  // namespace meshwright::checkpoint
