// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "meshwright/base/str.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/cli/ckpt_commands.h"
#include "meshwright/cli/commands.h"

namespace meshwright::cli {

/// Runs `ckpt ...` on checkpoints in a temporary folder.
class CkptCommands : public testing::Test {
 protected:
  /// A run with one checkpoint of two arrays and a small value.
  std::string save(const std::string& run,
                   std::int64_t step,
                   float first = 1,
                   const std::string& format = "native") const {
    checkpoint::Contents contents{.step = step};
    const HostTensor w = HostTensor::from<float>({first, 0, -3, 4}, {2, 2});
    const HostTensor count = HostTensor::scalar<std::int32_t>(7);
    contents.arrays["model/w"] = checkpoint::ArrayParts{w.type(), {{whole_ranges(w.dims()), w}}};
    contents.arrays["learner/count"] = checkpoint::ArrayParts{count.type(), {{{}, count}}};
    contents.meta["seed"] = Scalar(std::int64_t{5});
    write_checkpoint(checkpoint::format_named(format), io::open_file_system(root.string()), run,
                     contents);
    return (root / run).string();
  }

  /// Returns the exit code of `ckpt ...`, followed by its output.
  static std::string output(const Args& args) {
    testing::internal::CaptureStdout();
    int code = -1;
    try {
      code = run_group("ckpt", ckpt_commands(), args);
    } catch (...) {
      testing::internal::GetCapturedStdout();
      throw;
    }
    return str(code, "\n", testing::internal::GetCapturedStdout());
  }

  /// Changes a byte in the middle of each of the step's larger files.
  static void damage(const std::string& run, const std::string& step_ending) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(run)) {
      if (!entry.is_regular_file() || entry.file_size() != 16) continue;
      if (entry.path().string().find(step_ending) == std::string::npos) continue;
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(8);
      file.put('\x55');
    }
  }

  const TemporaryFolder folder;
  const std::filesystem::path root = folder.path();
};

}  // namespace meshwright::cli
