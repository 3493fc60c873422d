// SPDX-License-Identifier: Apache-2.0
// A task that trains quickly: fitting a line to points.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "meshwright/data/core/combinators.h"
#include "meshwright/io/io_testutil.h"
#include "meshwright/train/task/task.h"
#include "meshwright/train/trainer/run.h"

namespace meshwright::train {

/// y = x w + b with axes (batch feature) and (feature). The loss is weighted by `weights`.
class LineTask : public Task {
 public:
  std::string name() const override { return "line"; }
  ParamSpecs param_specs() const override;
  ValueTree init(const graph::random::Key& key, const nn::InitRules& rules) const override;
  TaskLoss loss(const TaskInput& input) const override;
};

/// A LineTask whose weights pass through a kernel, once per update.
class KernelLineTask : public LineTask {
 public:
  explicit KernelLineTask(std::string_view kernel) : kernel_(kernel) {}
  TaskLoss loss(const TaskInput& input) const override;

 private:
  std::string kernel_;
};

/// Points on one line. Each batch depends only on its number; batches in `broken` contain a NaN.
class Points : public data::Source {
 public:
  explicit Points(std::set<std::int64_t> broken = {}, std::optional<std::int64_t> num_batches = {});

  std::string name() const override { return "points"; }
  const data::BatchSpec& spec() const override { return spec_; }
  std::optional<std::int64_t> num_batches() const override { return num_batches_; }
  Tree<Scalar> identity() const override { return {}; }
  data::Batch batch(std::int64_t step, data::Rows rows) const override;

 private:
  std::set<std::int64_t> broken_;
  std::optional<std::int64_t> num_batches_;
  data::BatchSpec spec_;
};

/// Returns 8 virtual CPU devices with a compilation cache. Most runs of a test program use the same
/// step, which is compiled once and then loaded.
const runtime::Client& caching_client();

/// Returns a job that fits the line with AdamW for 8 steps, saving every 2 steps, on one device.
Job line_job(const std::filesystem::path& folder, std::set<std::int64_t> broken = {});

/// Returns a digest of the bits of all arrays of the newest checkpoint.
std::uint32_t digest_of_newest(const std::filesystem::path& run_folder);

}  // namespace meshwright::train
