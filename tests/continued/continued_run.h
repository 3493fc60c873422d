// SPDX-License-Identifier: Apache-2.0
// A run of our program that continues from another system's checkpoint in tests/golden.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/io/io_testutil.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::test_continued {

/// An array of tests/golden.
HostTensor golden(const std::string& file);

class ContinuedRun {
 public:
  /// A copy of the checkpoints of tests/golden/SYSTEM/run, if there are any. The config of `system`
  /// is beside this file.
  explicit ContinuedRun(std::string system);

  /// Trains to this step and returns the program's output. Another exit code fails the test.
  std::string train(int max_step,
                    const std::vector<std::string>& more_words = {},
                    int exit_code = 0) const;
  /// Like train(), in another folder than that of the copy.
  std::string train_in(const std::string& name,
                       int max_step,
                       const std::vector<std::string>& more_words,
                       int exit_code = 0) const;

  std::filesystem::path checkpoints(const std::string& name = "run") const {
    return folder_.path() / name / "checkpoints";
  }
  /// Returns the arrays of the folder `name`, with the names of the system.
  std::map<std::string, HostTensor> arrays(std::string_view step,
                                           const std::string& name = "run") const;
  /// Returns a metric from metrics.jsonl.
  double metric(int step, const std::string& name) const;

 private:
  std::string system_;
  io::TemporaryFolder folder_;
};

/// Compares floats with a tolerance relative to each and to the largest.
void expect_near(const std::string& name,
                 std::span<const float> ours,
                 std::span<const float> theirs,
                 double tolerance);

/// Compares all floats, concatenated by name, with a tolerance of some units in the last place of
/// the largest.
void expect_floats(const std::map<std::string, HostTensor>& ours,
                   const HostTensor& theirs,
                   double tolerance = 5e-7);

}  // namespace meshwright::test_continued
