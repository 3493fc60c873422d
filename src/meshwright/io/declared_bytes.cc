// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/declared_bytes.h"

#include "meshwright/io/zarr/metadata.h"

namespace meshwright::io {

std::uint64_t declared_bytes(const ArrayType& type) {
  zarr::check_sizes(type, Dims(type.dims.size(), 1));
  return static_cast<std::uint64_t>(type.num_bytes());
}

}  // namespace meshwright::io
