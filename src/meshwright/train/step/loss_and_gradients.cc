// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/step/loss_and_gradients.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/base/regex.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/nn/param_noise.h"
#include "meshwright/optim/transforms/per_param.h"

namespace meshwright::train {
namespace {

using graph::cast;
using graph::random::Key;

constexpr const char* kStateUpdates = "state_updates";
constexpr const char* kHistograms = "histograms";

// Merges two trees; values of `over` take precedence.
ValueTree merged(const ValueTree& under, const ValueTree& over) {
  ValueTree out = under;
  for_each(over, [&](const std::string& path, Value value) { out[path] = value; });
  return out;
}

std::string metric_path(const std::string& name) {
  return "metrics/" + name;
}

// Returns the outputs of a loss besides its value, which must leave the function as results.
ValueTree aux_of(const TaskLoss& loss) {
  ValueTree out;
  out["weight"] = cast(loss.loss.weight, f32);
  for (const auto& [name, metric] : loss.metrics) {
    ValueTree& both = out[metric_path(name)];
    both["mean"] = cast(metric.mean, f32);
    both["weight"] = cast(metric.weight, f32);
  }
  for (const auto& [name, value] : loss.histograms) {
    MW_CHECK(is_float(value.dtype()), "histogram '", name, "': expected floats, got ",
             value.type());
    out[join_tree_path(kHistograms, name)] = cast(value, f32);
  }
  if (loss.state_updates.num_leaves() > 0) out[kStateUpdates] = loss.state_updates;
  return out;
}

// Adds the outputs that are not averaged over microbatches.
void add_unaveraged(const ValueTree& from, TaskLoss& to) {
  if (const ValueTree* updates = from.find(kStateUpdates)) to.state_updates = *updates;
  if (const ValueTree* histograms = from.find(kHistograms)) {
    for_each(*histograms,
             [&](const std::string& path, Value value) { to.histograms[path] = value; });
  }
}

ValueTree cast_params(const ValueTree& params, const StepOptions& options) {
  std::vector<std::pair<Regex, std::optional<TrainDType>>> rules;
  for (const DTypeRule& rule : options.train_dtype_rules)
    rules.emplace_back(Regex(rule.pattern), rule.dtype);
  auto dtype_of = [&](const std::string& path) -> std::optional<DType> {
    for (const auto& [pattern, dtype] : rules)
      if (pattern.matches(path)) return dtype;
    return options.train_dtype;
  };
  return map(params, [&](const std::string& path, const Value& x) {
    const std::optional<DType> dtype = is_float(x.dtype()) ? dtype_of(path) : std::nullopt;
    return dtype ? cast(x, *dtype) : x;
  });
}

// Casts new parameter values to the dtypes in which the parameters are stored.
ValueTree like_params(const ValueTree& updates, const ValueTree& params) {
  return map(updates, [&](const std::string& path, const Value& x) {
    const ValueTree* param = params.find(path);
    const bool is_cast = param != nullptr && is_float(x.dtype());
    return is_cast ? cast(x, param->value().dtype()) : x;
  });
}

// Clips as optax does for per-example gradients. A non-finite norm makes all elements non-finite.
void clip(double max_norm, LossAndGradients& part) {
  Value norm = cast(optim::global_norm(part.gradients), f32);
  Value divisor = graph::maximum(norm / max_norm, 1.0);
  part.gradients =
      map(part.gradients, [&](const Value& g) { return g / cast(divisor, g.dtype()); });
  Value is_clipped = graph::where(divisor > 1.0, graph::constant(1.0, f32), 0.0);
  part.loss.metrics["clipped_parts"] = {is_clipped, graph::constant(1.0, f32)};
}

LossAndGradients differentiate(const TrainingSetup& setup,
                               const NoisyInput& noisy,
                               const StepOptions& options) {
  const TaskInput& input = noisy.input;
  TaskLoss loss;
  ValueTree batch = cast_inputs(input.batch, options.train_dtype);
  auto run = [&](const ValueTree& learned) {
    ValueTree params = cast_params(merged(input.params, learned), options);
    if (!options.param_noise.empty())
      params = nn::with_noise(params, noisy.noise_key, options.param_noise);
    loss = setup.task.loss({params, batch, input.key, /*is_training=*/true, options.train_dtype});
    return autodiff::Loss{cast(loss.loss.mean, f32), aux_of(loss)};
  };
  ValueTree learned = setup.learner.with_gradient(input.params);
  autodiff::LossAndGrad found = autodiff::value_and_grad(run, learned);
  LossAndGradients out;
  out.loss.loss = {found.value, found.aux.at("weight").value()};
  for (const auto& [name, metric] : loss.metrics) {
    const ValueTree& both = found.aux.at(metric_path(name));
    out.loss.metrics[name] = {both.at("mean").value(), both.at("weight").value()};
  }
  add_unaveraged(found.aux, out.loss);
  out.loss.state_updates = like_params(out.loss.state_updates, input.params);
  out.gradients = std::move(found.gradients);
  if (options.microbatch_clip_norm) clip(*options.microbatch_clip_norm, out);
  return out;
}

// Reshapes [rows, ...] to [n, rows / n, ...] for n microbatches. Microbatch i has rows i, i + n,
// ..., so that devices that share the rows each keep their own.
Value in_microbatches(Value x, std::int64_t num_microbatches) {
  MW_CHECK(x.rank() > 0 && x.dim(0) % num_microbatches == 0, "num_microbatches: a batch with ",
           x.type(), " cannot be split into ", num_microbatches, " equal microbatches");
  Dims dims = x.dims();
  dims[0] /= num_microbatches;
  dims.insert(dims.begin() + 1, num_microbatches);
  return graph::swap_dims(graph::reshape(x, dims), 0, 1);
}

// Sums over microbatches are trees: "loss/sum", "loss/weight", likewise "metrics/NAME/...", and
// "gradients/...". "state_updates/..." and "histograms/..." are those of the last microbatch.

ValueTree weighted_sum(const Weighted& x) {
  ValueTree out;
  // A mean with weight 0 may have any value.
  out["sum"] = graph::where(x.weight > 0.0, x.mean * x.weight, 0.0);
  out["weight"] = x.weight;
  return out;
}

Weighted mean_of(const ValueTree& sums) {
  Value weight = sums.at("weight").value();
  Value divisor = graph::where(weight > 0.0, weight, 1.0);
  return {sums.at("sum").value() / divisor, weight};
}

ValueTree sums_of(const LossAndGradients& part) {
  ValueTree out;
  Value weight = part.loss.loss.weight;
  out["loss"] = weighted_sum(part.loss.loss);
  for (const auto& [name, metric] : part.loss.metrics)
    out[metric_path(name)] = weighted_sum(metric);
  if (part.loss.state_updates.num_leaves() > 0) out[kStateUpdates] = part.loss.state_updates;
  for (const auto& [name, value] : part.loss.histograms)
    out[join_tree_path(kHistograms, name)] = value;
  out["gradients"] = map(part.gradients, [&](Value g) {
    DType sum_dtype = g.dtype() == f64 ? f64 : f32;
    return graph::where(weight > 0.0, cast(g, sum_dtype) * cast(weight, sum_dtype), 0.0);
  });
  return out;
}

LossAndGradients mean_of_parts(const ValueTree& sums,
                               const std::vector<std::string>& metric_names,
                               const ValueTree& params) {
  LossAndGradients out;
  out.loss.loss = mean_of(sums.at("loss"));
  for (const std::string& name : metric_names)
    out.loss.metrics[name] = mean_of(sums.at(metric_path(name)));
  add_unaveraged(sums, out.loss);
  Value weight = sums.at("loss/weight").value();
  Value divisor = graph::where(weight > 0.0, weight, 1.0);
  out.gradients = map(sums.at("gradients"), [&](const std::string& path, Value sum) {
    return cast(sum / cast(divisor, sum.dtype()), params.at(path).value().dtype());
  });
  return out;
}

// Returns the sums after this microbatch.
ValueTree added(const ValueTree& before, const ValueTree& part) {
  ValueTree out = map(before, part, [](Value sum, Value x) { return sum + x; });
  for (const char* name : {kStateUpdates, kHistograms}) {
    if (const ValueTree* last = part.find(name)) out[name] = *last;
  }
  return out;
}

struct Parts {
  const TrainingSetup& setup;
  const TaskInput& input;
  const StepOptions& options;
  std::vector<std::string> metric_names = {};  // from the microbatch traced last

  // Returns the sums of one microbatch; `xs` are its rows and its keys.
  ValueTree sums(const ValueTree& params, std::span<const Value> xs) {
    const auto num_arrays = static_cast<std::ptrdiff_t>(input.batch.num_leaves());
    std::vector<Value> rows(xs.begin(), xs.begin() + num_arrays);
    ValueTree batch = with_leaves(input.batch, rows);
    std::vector<Key> keys;
    for (const Value& data : xs.subspan(static_cast<std::size_t>(num_arrays)))
      keys.push_back(graph::random::wrap_key_data(data));
    NoisyInput part_input{{params, batch, keys.front(), true}, keys.back()};
    LossAndGradients part = differentiate(setup, part_input, options);
    metric_names.clear();
    for (const auto& [name, metric] : part.loss.metrics)
      metric_names.push_back(name);
    return sums_of(part);
  }

  // Finds names and types of the sums by tracing a microbatch into a program that is discarded.
  ValueTree zero_sums(std::span<const Value> xs) {
    Tree<ArrayType> types;
    {
      graph::Tracer scratch({setup.placement.mesh, setup.task.dims(), {}});
      auto argument = [&](const Value& like) { return scratch.argument(like.type().array()); };
      ValueTree params = map(input.params, argument);
      std::vector<Value> slices;
      for (const Value& x : xs)
        slices.push_back(scratch.argument({x.dtype(), Dims(x.dims().begin() + 1, x.dims().end())}));
      types = map(sums(params, slices), [](const Value& x) { return x.type().array(); });
    }
    return map(types, [](const ArrayType& type) {
      return graph::zeros(graph::Type(type.dtype, type.dims));
    });
  }
};

}  // namespace

ValueTree cast_floats(const ValueTree& tree, std::optional<DType> dtype) {
  if (!dtype) return tree;
  return map(tree, [&](const Value& x) { return is_float(x.dtype()) ? cast(x, *dtype) : x; });
}

ValueTree cast_inputs(const ValueTree& batch, std::optional<DType> dtype) {
  if (!dtype) return batch;
  return map(batch, [&](const std::string& path, const Value& x) {
    return is_float(x.dtype()) && !data::is_weights(path) ? cast(x, *dtype) : x;
  });
}

LossAndGradients loss_and_gradients(const TrainingSetup& setup,
                                    const NoisyInput& noisy,
                                    const StepOptions& options) {
  const TaskInput& input = noisy.input;
  const std::int64_t num_microbatches = options.num_microbatches;
  MW_CHECK(num_microbatches >= 1, "num_microbatches is ", num_microbatches,
           ", expected at least 1");
  if (num_microbatches == 1) return differentiate(setup, noisy, options);

  std::vector<Value> xs;
  for (const Value& x : leaves(input.batch))
    xs.push_back(in_microbatches(x, num_microbatches));
  auto add_keys = [&](const Key& key) {
    xs.push_back(graph::random::key_data(graph::random::split_batch(key, {num_microbatches})));
  };
  add_keys(input.key);
  if (!options.param_noise.empty()) add_keys(noisy.noise_key);
  Parts parts{setup, input, options};
  ValueTree zeros = parts.zero_sums(xs);
  auto body = [&](std::span<const Value> carry, std::span<const Value> slices) {
    ValueTree before = with_leaves(zeros, std::vector<Value>(carry.begin(), carry.end()));
    return graph::ScanStep{leaves(added(before, parts.sums(input.params, slices))), {}};
  };
  graph::ScanResult sums = graph::scan(leaves(zeros), xs, body);
  return mean_of_parts(with_leaves(zeros, sums.carry), parts.metric_names, input.params);
}

}  // namespace meshwright::train
