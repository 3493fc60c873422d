// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/checkpoint/contents/iterator_state.h"
#include "meshwright/io/file_system.h"

namespace meshwright::checkpoint {

/// A file of a checkpoint, to be stored unchanged in another.
KeptFile kept_file(const std::shared_ptr<io::FileSystem>& files,
                   const std::string& name,
                   std::uint64_t num_bytes);

}  // namespace meshwright::checkpoint
