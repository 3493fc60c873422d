// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/run/run_files.h"

#include "meshwright/base/check.h"

namespace meshwright::checkpoint {

void check_checkpoints_folder(const io::FileSystem& run) {
  const std::optional<io::FileInfo> found = run.find(kCheckpoints);
  MW_CHECK(!found || found->kind == io::FileKind::folder, run.full_name(kCheckpoints), ": is a ",
           found->kind == io::FileKind::file ? "file" : "link or device",
           ", expected the folder of a run's checkpoints; links in a run's folder are not followed",
           "\nto keep checkpoints on another disk, set dir to a folder there, or mount one at ",
           run.full_name(kCheckpoints));
}

Files files_of_checkpoints(const Files& run) {
  check_checkpoints_folder(*run);
  return io::subtree(run, kCheckpoints);
}

Files files_of_checkpoints(const std::string& run_folder) {
  return files_of_checkpoints(io::open_file_system(run_folder));
}

}  // namespace meshwright::checkpoint
