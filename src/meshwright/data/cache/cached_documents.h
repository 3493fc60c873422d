// SPDX-License-Identifier: Apache-2.0
// Internal to cache/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "meshwright/data/cache/part.h"
#include "meshwright/data/documents/documents.h"
#include "meshwright/io/file_system.h"

namespace meshwright::data {

/// Returns the documents of all parts, in order. `names` are the input files. `encoder_digest`
/// becomes part of the fingerprint. The parts must have passed check_part() and
/// have one format. Their files stay open,
/// so that the documents can be read even after the folder was removed.
DocumentsPtr cached_documents(const io::FileSystem& folder,
                              const std::vector<PartInfo>& parts,
                              std::vector<std::string> names,
                              const std::string& encoder_digest);

}  // namespace meshwright::data
