// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/contents/kept_files.h"

namespace meshwright::checkpoint {

KeptFile kept_file(const std::shared_ptr<io::FileSystem>& files,
                   const std::string& name,
                   std::uint64_t num_bytes) {
  return {num_bytes, [files, name, num_bytes] { return io::read_text(*files, name, num_bytes); }};
}

}  // namespace meshwright::checkpoint
