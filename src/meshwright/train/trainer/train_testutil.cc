// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer/train_testutil.h"

#include <cmath>
#include <limits>

#include "meshwright/base/crc32c.h"
#include "meshwright/base/threefry.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/random/sample.h"
#include "meshwright/graph/sharding/global.h"
#include "meshwright/optim/optimizers/adamw.h"

namespace meshwright::train {
namespace {

constexpr std::int64_t kBatch = 8;
constexpr std::int64_t kFeatures = 4;

ParamSpec param_spec(Dims dims, std::vector<std::string> axes) {
  ParamSpec out;
  out.type = {f32, std::move(dims)};
  out.axes = std::move(axes);
  return out;
}

}  // namespace

ParamSpecs LineTask::param_specs() const {
  ParamSpecs out;
  out["line/w"] = param_spec({kFeatures}, {"feature"});
  out["line/b"] = param_spec({}, {});
  return out;
}

ValueTree LineTask::init(const graph::random::Key& key, const nn::InitRules& /*rules*/) const {
  ValueTree out;
  out["line/w"] = graph::random::normal(key, {kFeatures});
  out["line/b"] = graph::constant(0.0, f32);
  return out;
}

TaskLoss LineTask::loss(const TaskInput& input) const {
  Value x = input.batch.at("x").value();
  Value w = input.params.at("line/w").value();
  Value y = graph::einsum("batch feature, feature -> batch", x, w);
  Value error = y + input.params.at("line/b").value() - input.batch.at("y").value();
  Value weights = input.batch.at("weights").value();
  Value weight = graph::global_sum(weights);
  TaskLoss out{.loss = {graph::global_mean(square(error), weights), weight}};
  out.metrics["absolute_error"] = {graph::global_mean(abs(error), weights), weight};
  return out;
}

TaskLoss KernelLineTask::loss(const TaskInput& input) const {
  ValueTree batch = input.batch;
  Value& weights = batch.at("weights").value();
  weights = graph::custom_call(kernel_, {weights}, {.results = {weights.type().array()}})[0];
  return LineTask::loss({input.params, batch, input.key, input.is_training});
}

Points::Points(std::set<std::int64_t> broken, std::optional<std::int64_t> num_batches)
    : broken_(std::move(broken)), num_batches_(num_batches) {
  spec_["x"] = data::array_spec(f32, {kBatch, kFeatures}, "batch feature");
  spec_["y"] = data::array_spec(f32, {kBatch}, "batch");
  spec_["weights"] = data::array_spec(f32, {kBatch}, "batch");
}

data::Batch Points::batch(std::int64_t step, data::Rows rows) const {
  HostTensor x(ArrayType{f32, {rows.size(), kFeatures}});
  HostTensor y(ArrayType{f32, {rows.size()}});
  HostTensor weights(ArrayType{f32, {rows.size()}});
  threefry::KeyWords key = threefry::fold_in(threefry::key(5), static_cast<std::uint32_t>(step));
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    float sum = 0.5F;
    for (std::int64_t i = 0; i < kFeatures; ++i) {
      auto at = static_cast<std::uint64_t>((rows.start + row) * kFeatures + i);
      auto value = static_cast<float>(threefry::bits32(key, at) * 0x1p-32);
      x.mutable_values<float>()[static_cast<std::size_t>(row * kFeatures + i)] = value;
      sum += value * static_cast<float>(i + 1);
    }
    if (broken_.contains(step)) sum = std::numeric_limits<float>::quiet_NaN();
    y.mutable_values<float>()[static_cast<std::size_t>(row)] = sum;
    weights.mutable_values<float>()[static_cast<std::size_t>(row)] =
        static_cast<float>(1 + (rows.start + row) % 3);
  }
  data::Batch out;
  out["x"] = x;
  out["y"] = y;
  out["weights"] = weights;
  return out;
}

const runtime::Client& caching_client() {
  static const io::TemporaryFolder folder;
  static const runtime::Client client =
      runtime::open({.num_devices = 8, .cache_folder = folder.path()});
  return client;
}

Job line_job(const std::filesystem::path& folder, std::set<std::int64_t> broken) {
  Job job;
  job.config.dir = folder.string();
  job.config.max_step = 8;
  job.config.loop.log = When{EveryN{.n = 1}};
  job.config.checkpoint.when = When{EveryN{.n = 2, .and_last = true}};
  job.config.evaluators["held_out"] = {.method = "loss", .when = When{EveryN{.n = 4}}};
  job.eval_sources["held_out"] = std::make_shared<Points>(std::set<std::int64_t>{}, 2);
  job.task = std::make_shared<LineTask>();
  job.learner = optim::learn_by(optim::adamw({.learning_rate = optim::constant(0.1)}));
  job.source = std::make_shared<Points>(std::move(broken));
  return job;
}

std::uint32_t digest_of_newest(const std::filesystem::path& run_folder) {
  checkpoint::Manager manager({.folder = run_folder / "checkpoints", .read_only = true});
  checkpoint::Contents contents = manager.restore_newest().value();
  std::uint32_t crc = 0;
  for (const checkpoint::ArrayParts& array : leaves(contents.arrays)) {
    HostTensor whole = checkpoint::assemble(array);
    crc = crc32c({reinterpret_cast<const char*>(whole.data()), whole.num_bytes()}, crc);
  }
  return crc;
}

}  // namespace meshwright::train
