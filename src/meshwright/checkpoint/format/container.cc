// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/format/container.h"

#include "meshwright/base/error.h"
#include "meshwright/checkpoint/format/manifest_writer.h"

namespace meshwright::checkpoint {

Stored Container::inspect(const Files& files, const std::string& path) const {
  Stored out = open(files, path);
  for_each(out.arrays,
           [](const StoredArray& array) { array.check(whole_ranges(array.type().dims)); });
  return out;
}

std::unique_ptr<CheckpointWriter> Container::begin(
    const Files& files,
    const std::string& path,
    CheckpointPlan /*plan*/,  // NOLINT(performance-unnecessary-value-param): others move it
    const WriteOptions& /*options*/) const {
  fail(ErrorCode::unimplemented, files->full_name(path), ": checkpoints of ", name(),
       " can only be read, not written");
}

std::vector<Damage> Container::verify(const Files& files, const std::string& path) const {
  try {
    return verify_by_reading(open(files, path));
  } catch (const Error& error) {
    return {{files->full_name(path), error.what()}};
  }
}

}  // namespace meshwright::checkpoint
