// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/step/step_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <utility>

#include "meshwright/base/counted.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/sharding/module_output.h"
#include "meshwright/metrics/format.h"
#include "meshwright/optim/transforms/per_param.h"
#include "meshwright/train/step/loss_and_gradients.h"
#include "meshwright/train/step/program_arguments.h"

namespace meshwright::train {
namespace {

using graph::cast;

constexpr std::int64_t kNumbersPerLayer = 3;

std::int64_t num_layers(const ParamSpec& spec) {
  std::int64_t out = 1;
  for (int i = 0; i < spec.num_stacked_dims; ++i)
    out *= spec.type.dims[static_cast<std::size_t>(i)];
  return out;
}

// Returns, for each layer, the number of non-finite elements; over the finite ones, the sum of
// squares divided by the largest square, which cannot overflow; and the largest magnitude. Ordered
// by number, then by layer.
Value statistics(Value x, const ParamSpec& spec) {
  if (x.dtype() != f64) x = cast(x, f32);
  const Dims over = optim::block_dims(spec, optim::Block::layer);
  const graph::ReduceOptions keep{.keep_dims = true};
  Value is_good = graph::is_finite(x);
  Value good = graph::where(is_good, x, 0.0);
  Value one = graph::where(is_good, graph::constant(0.0, f32), graph::constant(1.0, f32));
  Value largest = graph::reduce_max(abs(good), over, keep);
  Value scaled = good / graph::where(largest > 0.0, largest, 1.0);
  std::vector<Value> out;
  for (Value number : {graph::reduce_sum(one, over), graph::reduce_sum(square(scaled), over),
                       graph::reduce_max(abs(good), over)})
    out.push_back(graph::reshape(cast(number, f32), {num_layers(spec)}));
  return graph::concatenate(out, 0);
}

// Calls f(path, spec) for each described array, in order.
template <typename Function>
void for_each_described(const TrainingSetup& setup, bool are_gradients, const Function& f) {
  for_each(setup.layout.specs.at("model"), [&](const std::string& path, const ParamSpec& spec) {
    const bool is_there = !are_gradients || setup.learner.needs_gradient(path);
    if (is_there && is_float(spec.type.dtype)) f(path, spec);
  });
}

// Arguments: the leaves of the parameters, the key, the leaves of the batch. Result: the loss, then
// the statistics of parameters and gradients.
graph::Program trace_statistics(const TrainingSetup& setup,
                                const BatchSpec& batch_spec,
                                const StepOptions& options) {
  graph::Tracer tracer(trace_options(setup));
  const graph::OutputRuleScope output_rules(setup.placement.outputs);
  const ValueTree params = model_arguments(tracer, setup);
  Value key_data = key_argument(tracer);
  ValueTree batch = batch_arguments(tracer, batch_spec, setup);
  StepKeys keys = split_step_key(key_data);
  const NoisyInput input{{params, batch, std::move(keys.forward), /*is_training=*/true},
                         std::move(keys.param_noise)};
  const LossAndGradients found = loss_and_gradients(setup, input, options);
  std::vector<Value> parts = {graph::reshape(cast(found.loss.loss.mean, f32), {1})};
  for (const ValueTree* tree : {&params, &found.gradients}) {
    for_each_described(setup, tree != &params, [&](const std::string& path, const auto& spec) {
      parts.push_back(statistics(tree->at(path).value(), spec));
    });
  }
  return tracer.finish({graph::concatenate(parts, 0)},
                       {{"statistics", mesh::Sharding::replicated()}});
}

// Removes the numbers of one array from the front.
void read_array(const std::string& path,
                const ParamSpec& spec,
                std::span<const float>& numbers,
                std::vector<ArrayStatistics>& out) {
  const std::int64_t layers = num_layers(spec);
  const std::int64_t size = layers == 0 ? 0 : num_elements(spec.type.dims) / layers;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    auto number = [&](std::int64_t which) {
      return static_cast<double>(numbers[static_cast<std::size_t>(which * layers + layer)]);
    };
    ArrayStatistics array{.path = path, .num_elements = size};
    if (spec.num_stacked_dims > 0) array.layer = layer;
    array.num_not_finite = std::llround(number(0));
    array.largest = number(2);
    const auto num_good = static_cast<double>(size - array.num_not_finite);
    if (num_good > 0) array.rms = array.largest * std::sqrt(number(1) / num_good);
    out.push_back(std::move(array));
  }
  numbers = numbers.subspan(static_cast<std::size_t>(layers * kNumbersPerLayer));
}

// Returns text such as "none of 12" or "3 of 12: layers/w (layer 1: 5 of 64 elements), ...".
std::string bad_ones(const std::vector<ArrayStatistics>& arrays) {
  constexpr std::size_t kMaxNamed = 6;
  std::vector<std::string> named;
  std::size_t num_bad = 0;
  for (const ArrayStatistics& array : arrays) {
    if (array.num_not_finite == 0 || ++num_bad > kMaxNamed) continue;
    named.push_back(str(array.path, " (", array.layer ? str("layer ", *array.layer, ": ") : "",
                        with_separators(array.num_not_finite), " of ",
                        with_separators(array.num_elements), " elements)"));
  }
  if (num_bad == 0) {
    const auto largest = std::ranges::max_element(arrays, {}, &ArrayStatistics::largest);
    return largest == arrays.end()
               ? "none"
               : str("none of ", arrays.size(), ", the largest element ",
                     metrics::significant(largest->largest), " in ", largest->path);
  }
  return str(num_bad, " of ", arrays.size(), ": ", join(named, ", "),
             num_bad > kMaxNamed ? ", ..." : "");
}

std::string row(const char* kind, const ArrayStatistics& array) {
  char text[160];
  std::snprintf(text, sizeof(text), "%-10s %6s %14lld %14lld %12.4g %12.4g  ", kind,
                array.layer ? str(*array.layer).c_str() : "-",
                static_cast<long long>(array.num_elements),
                static_cast<long long>(array.num_not_finite), array.rms, array.largest);
  return str(text, array.path, "\n");
}

}  // namespace

StepStatistics step_statistics(const runtime::Client& client,
                               const TrainingSetup& setup,
                               const StepInputs& step,
                               const StepOptions& options) {
  const runtime::Executable program = client.compile(
      trace_statistics(setup, step.source.spec(), options), compile_options(setup.placement));
  std::vector<runtime::DeviceArray> args = step.params;
  args.push_back(step.key);
  for (const HostTensor& array : leaves(data::whole_batch(step.source, step.batch)))
    args.push_back(program.put_argument(args.size(), array));
  const HostTensor result = program(std::move(args)).at(0).to_host();
  std::span<const float> numbers = result.values<float>();
  StepStatistics out{.loss = static_cast<double>(numbers[0])};
  numbers = numbers.subspan(1);
  for (auto* arrays : {&out.params, &out.gradients}) {
    for_each_described(setup, arrays == &out.gradients,
                       [&](const std::string& path, const auto& spec) {
                         read_array(path, spec, numbers, *arrays);
                       });
  }
  return out;
}

std::string not_finite_text(const StepStatistics& statistics) {
  auto is_bad = [](const ArrayStatistics& array) { return array.num_not_finite > 0; };
  const bool is_fine = std::isfinite(statistics.loss) &&
                       std::ranges::none_of(statistics.params, is_bad) &&
                       std::ranges::none_of(statistics.gradients, is_bad);
  const std::string loss = str("the loss is ", metrics::significant(statistics.loss));
  if (is_fine) return loss + " and all arrays are finite; the hardware may be faulty";
  return str(loss, "; not finite:\n  parameters: ", bad_ones(statistics.params),
             "\n  gradients: ", bad_ones(statistics.gradients));
}

std::string table_of(const StepStatistics& statistics) {
  std::string out =
      str("loss ", statistics.loss, "\n",
          "what        layer       elements     not finite          rms      largest", "  array\n");
  for (const ArrayStatistics& array : statistics.params)
    out += row("parameter", array);
  for (const ArrayStatistics& array : statistics.gradients)
    out += row("gradient", array);
  return out;
}

}  // namespace meshwright::train
