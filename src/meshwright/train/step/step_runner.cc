// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/step/step_runner.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "meshwright/base/log.h"
#include "meshwright/base/threefry.h"
#include "meshwright/base/verbosity.h"
#include "meshwright/checkpoint/restore/restore.h"
#include "meshwright/runtime/compile_async.h"

namespace meshwright::train {
namespace {

StepProgram warned_of(StepProgram step) {
  for (const std::string& warning : step.program.warnings)
    log_warning(warning);
  return step;
}

}  // namespace

StepRunner::StepRunner(const runtime::Client& client,
                       const TrainingSetup& setup,
                       const BatchSpec& batch,
                       const StepOptions& options,
                       bool can_hold)
    : StepRunner(client, setup, warned_of(trace_step(setup, batch, options)), can_hold) {}

StepRunner::StepRunner(const runtime::Client& client,
                       const TrainingSetup& setup,
                       StepProgram program,
                       bool can_hold)
    : client_(client),
      setup_(setup),
      metric_names_(std::move(program.metric_names)),
      histogram_names_(std::move(program.histogram_names)),
      executable_(
          runtime::compile_async(client, program.program, compile_options(setup.placement))) {
  if (!can_hold) return;
  // Starts after the first compilation, which is needed sooner: both write to the graph.
  holding_.emplace([client, first = executable_.future(),
                    options = compile_options(setup.placement),
                    held = without_donation(std::move(program.program))] {
    first.wait();
    return client.compile(held, options);
  });
}

void StepRunner::init(std::int64_t seed, const Tree<HostTensor>& prebuilt) {
  std::vector<std::string> paths;
  for_each(prebuilt, [&](const std::string& path, const HostTensor&) { paths.push_back(path); });
  runtime::Executable program =
      client_.compile(trace_init(setup_, paths), compile_options(setup_.placement));
  threefry::KeyWords key = threefry::key(seed);
  std::vector<std::uint32_t> words(key.begin(), key.end());
  std::vector<runtime::DeviceArray> args = {program.put_argument(0, HostTensor::from(words, {2}))};
  for (const HostTensor& value : leaves(prebuilt))
    args.push_back(program.put_argument(args.size(), value));
  state_ = program(std::move(args));
}

void StepRunner::restore(const Tree<checkpoint::StoredArray>& arrays,
                         const checkpoint::ReadOptions& options) {
  auto compare = [](const checkpoint::StoredArray& there, const ParamSpec& here) {
    return there.type() == here.type ? "" : str(there.type(), " and ", here.type);
  };
  std::vector<std::string> found =
      differences(arrays, setup_.layout.specs, compare, "the checkpoint", "this run");
  if (!found.empty()) fail_trees_differ("the checkpoint", "this run", found);
  state_.clear();  // frees its memory
  std::vector<checkpoint::Destination> destinations;
  const std::vector<mesh::Sharding> shardings = leaves(setup_.layout.shardings);
  for_each(setup_.layout.specs, [&](const std::string& path, const ParamSpec& spec) {
    const std::size_t index = destinations.size();
    log_at(1, "restoring ", path, " ", spec.type, " ", shardings[index]);
    auto layout = std::make_shared<const runtime::ArrayLayout>(
        path, spec.type, setup_.placement.mesh, shardings[index]);
    destinations.push_back({std::move(layout), [this, index](const auto& part) {
                              return executable().put_argument_shards(index, part);
                            }});
  });
  state_ = checkpoint::restore_arrays(leaves(arrays), destinations, options);
}

bool StepRunner::may_hold() const {
  return holding_ && holding_->is_ready();
}

const runtime::Executable& StepRunner::next_executable() const {
  const bool is_held = std::ranges::any_of(state_, &runtime::DeviceArray::is_held);
  return is_held && holding_ ? holding_->get() : executable();
}

StepResults StepRunner::update(const data::Batch& batch) {
  const runtime::Executable& step = next_executable();
  std::vector<runtime::DeviceArray> args = std::move(state_);
  const auto num_leaves = static_cast<std::ptrdiff_t>(args.size());
  for_each(batch, [&](const HostTensor& array) {
    args.push_back(step.put_argument(args.size(), array, runtime::HostMemoryUse::share));
  });
  state_ = step(std::move(args));
  const auto after_state = state_.begin() + num_leaves;
  StepResults out{std::move(*after_state), {}};
  out.histograms.assign(std::make_move_iterator(after_state + 1),
                        std::make_move_iterator(state_.end()));
  state_.erase(after_state, state_.end());
  return out;
}

StepRunner::HostState StepRunner::copy_state() const {
  HostState out;
  for (const runtime::DeviceArray& array : state_) {
    std::vector<HostTensor>& parts = out.emplace_back();
    for (std::size_t part = 0; part < array.layout().num_shards(); ++part)
      parts.push_back(array.shard_to_host(array.layout().device_of(part)));
  }
  return out;
}

void StepRunner::put_state(HostState state) {
  state_.clear();  // frees its memory
  for (std::vector<HostTensor>& parts : state) {
    state_.push_back(executable().put_argument_shards(
        state_.size(), [&](std::size_t part) { return std::move(parts[part]); }));
  }
}

State StepRunner::state() const {
  return with_leaves(setup_.layout.specs, state_);
}

std::vector<runtime::DeviceArray> StepRunner::part(std::string_view path) const {
  return leaves(state().at(path));
}

}  // namespace meshwright::train
