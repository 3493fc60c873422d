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
  /// Creates the folder. Files of an earlier writer in it stay; finish() removes those of which
  /// nothing was kept.
  OcdbtWriter(const std::shared_ptr<FileSystem>& files, const std::string& folder);

  /// Only create() and make_folder() are available, to any number of threads. A file exists once it
  /// is closed; it is durable after finish().
  std::shared_ptr<FileSystem> files() const;
  /// Makes the values of the files closed so far durable.
  void sync();
  /// Returns a line that says where the value of a key lies, for keep() of a later writer in the
  /// same folder; empty if the value lies beside the keys.
  std::string receipt(const std::string& key) const;
  /// Takes a value that an earlier writer, which did not finish, has written and synced. Returns
  /// false if it is not there.
  bool keep(const std::string& key, const std::string& receipt);
  /// Writes the keys and the manifest, durably. Nothing may be created afterwards.
  void finish();

 private:
  class Values;

  std::shared_ptr<Values> values_;
};

}  // namespace meshwright::io
