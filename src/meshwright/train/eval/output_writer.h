// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/base/regex.h"
#include "meshwright/base/tree.h"
#include "meshwright/config/check.h"
#include "meshwright/io/file_system.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::train {

/// Settings for the per-example outputs that an evaluator writes.
struct OutputsConfig {
  std::string arrays = "outputs/.*";  // matches paths in the tree {batch, outputs}
  std::optional<std::int64_t> num_examples = {};

  void fields(auto& f) {
    f.optional("arrays", arrays, config::kNonEmpty,
               "Pattern that must match whole paths, batch/NAME and outputs/NAME.");
    f.optional("num_examples", num_examples, config::kPositive,
               "Number of examples to write. `none`: all.");
  }
};

/// A batch and the model's outputs for it.
struct JudgedBatch {
  Tree<HostTensor> batch, outputs;
  std::vector<std::string> lines;  // for the console: one per row, or none
};

/// Returns the rows of a batch that are not padding.
std::vector<std::int64_t> examples_of(const Tree<HostTensor>& batch);

/// Writes one JSON object per example, as a line: {"example": 3, "text": "1+2=3", "outputs/sum":
/// 3}. The file gets its final name in finish(). A write failure only causes a warning, since
/// nothing else depends on the file.
class OutputWriter {
 public:
  OutputWriter(std::shared_ptr<io::FileSystem> files,
               std::string path,
               const OutputsConfig& config);
  /// Removes the file unless finish() was called.
  ~OutputWriter();
  OutputWriter(const OutputWriter&) = delete;
  OutputWriter& operator=(const OutputWriter&) = delete;

  void write(const JudgedBatch& judged);
  void finish();

 private:
  std::string unfinished() const { return path_ + ".unfinished"; }
  /// Runs `action` unless an earlier one failed.
  void attempt(const std::function<void()>& action);
  void write_lines();
  bool is_full() const { return max_examples_ && num_examples_ >= *max_examples_; }

  std::shared_ptr<io::FileSystem> files_;
  std::string path_;
  Regex arrays_;
  std::optional<std::int64_t> max_examples_;
  std::int64_t num_examples_ = 0;
  std::string lines_;  // text not yet written
  std::unique_ptr<io::WritableFile> file_;
  std::string failure_;
};

}  // namespace meshwright::train
