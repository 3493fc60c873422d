// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "meshwright/io/file_system.h"

namespace meshwright::io {

/// Writes a new OCDBT database: files that are created through files() become its values, with
/// their paths as keys.
class OcdbtWriter {
 public:
  /// Creates the folder.
  OcdbtWriter(const std::shared_ptr<FileSystem>& files, const std::string& folder);

  /// Only create() and make_folder() are available, to any number of threads. A file exists once it
  /// is closed; it is durable after finish().
  std::shared_ptr<FileSystem> files() const;
  /// Writes the keys and the manifest, durably. Nothing may be created afterwards.
  void finish();

 private:
  class Values;

  std::shared_ptr<Values> values_;
};

}  // namespace meshwright::io
