// SPDX-License-Identifier: Apache-2.0
// Axes: pair (a row of the table of sums), embed, hidden, class (the sum).
#include "meshwright/cli/demo.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <numeric>

#include "meshwright/autodiff/grad.h"
#include "meshwright/base/threefry.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/tracer.h"
#include "meshwright/runtime/client.h"

namespace meshwright::cli {
namespace {

using graph::Value;
using mesh::Sharding;
using runtime::DeviceArray;
using Values = std::vector<Value>;

constexpr int kModulus = 31;
constexpr int kTrained = 720;  // of the 961 pairs; both parts divide by the 4 data-parallel devices
constexpr int kHeldOut = 240;
constexpr std::int64_t kSeed = 0;

struct Parameter {
  const char* name;
  Dims dims;
  double deviation;
  Sharding sharding;
};

const std::vector<Parameter>& parameters() {
  static const std::vector<Parameter> all = {
      {"embed", {kModulus, 32}, 0.5, {}},
      {"w_in", {32, 128}, 0.18, {{{}, {"tensor"}}}},
      {"w_out", {128, kModulus}, 0.09, {{{"tensor"}, {}}}},
  };
  return all;
}

const Sharding kByPair = {{{"data"}}};

mesh::Mesh demo_mesh() {
  return mesh::Mesh({{"data", 4}, {"tensor", 2}});
}

// --- the model --------------------------------------------------------------------------------

Value logits(std::span<const Value> params, Value pairs) {
  Value x = graph::reduce_sum(graph::take(params[0], pairs), {1});
  Value hidden = relu(graph::einsum("pair embed, embed hidden -> pair hidden", x, params[1]));
  return graph::einsum("pair hidden, hidden class -> pair class", hidden, params[2]);
}

Value sums(Value pairs) {
  return graph::remainder(graph::reduce_sum(pairs, {1}), kModulus);
}

Value loss(std::span<const Value> params, Value pairs) {
  Value log_probs = graph::log_softmax(logits(params, pairs), -1);
  Value of_sum = graph::take_along_dim(log_probs, graph::expand_dims(sums(pairs), {1}), 1);
  return -graph::mean(of_sum, {0, 1});
}

// One step of AdamW for one parameter; state is {parameter, mu, nu}.
Values adamw(std::span<const Value> state, Value grad, Value step) {
  Value mu = 0.9 * state[1] + 0.1 * grad;
  Value nu = 0.99 * state[2] + 0.01 * square(grad);
  Value unbiased_mu = mu / (1 - graph::exp(step * std::log(0.9)));
  Value unbiased_nu = nu / (1 - graph::exp(step * std::log(0.99)));
  Value direction = unbiased_mu / (graph::sqrt(unbiased_nu) + 1e-8) + state[0];
  return {state[0] - 0.01 * direction, mu, nu};
}

// --- programs ---------------------------------------------------------------------------------

// Arguments: parameter, mu and nu of each parameter in turn (donated), step, pairs. Results: the
// same state after the step, the next step, the loss.
graph::Program training_step() {
  graph::Tracer tracer({.mesh = demo_mesh()});
  Values state, params;
  std::vector<graph::ResultInfo> infos;
  for (const Parameter& p : parameters()) {
    for (const char* part : {"", "mu of ", "nu of "}) {
      int position = static_cast<int>(state.size());
      state.push_back(tracer.argument({f32, p.dims}, {str(part, p.name), p.sharding, position}));
      infos.push_back({str(part, p.name), p.sharding});
    }
    params.push_back(state[state.size() - 3]);
  }
  Value step = tracer.argument({f32, {}}, {"step", Sharding::replicated(), {}});
  Value pairs = tracer.argument({s32, {kTrained, 2}}, {"pairs", kByPair, {}});
  auto out = autodiff::value_and_grad(
      [&](std::span<const Value> values) { return loss(values, pairs); }, params);
  Values results;
  for (std::size_t i = 0; i < params.size(); ++i) {
    for (Value next : adamw(std::span(state).subspan(3 * i, 3), out.gradients[i], step))
      results.push_back(next);
  }
  results.insert(results.end(), {step + 1, out.value});
  return tracer.finish(std::move(results), std::move(infos));
}

// Arguments: parameters, pairs. Result: the fraction of pairs whose sum is the likeliest class.
graph::Program accuracy_of(int num_pairs) {
  graph::Tracer tracer({.mesh = demo_mesh()});
  Values params;
  for (const Parameter& p : parameters())
    params.push_back(tracer.argument({f32, p.dims}, {p.name, p.sharding, {}}));
  Value pairs = tracer.argument({s32, {num_pairs, 2}}, {"pairs", kByPair, {}});
  Value right = graph::equal(graph::argmax(logits(params, pairs), 1), sums(pairs));
  return tracer.finish({graph::mean(cast(right, f32), {0})});
}

// --- values -----------------------------------------------------------------------------------

HostTensor initial_value(const Parameter& p, std::uint32_t number) {
  threefry::Words key = threefry::fold_in(threefry::key(kSeed), number);
  HostTensor out(ArrayType{f32, p.dims});
  double half_width = p.deviation * std::sqrt(3.0);  // of the uniform distribution
  std::uint64_t index = 0;
  for (float& element : out.mutable_values<float>()) {
    double fraction = threefry::bits32(key, index++) * 0x1p-32;
    element = static_cast<float>((2 * fraction - 1) * half_width);
  }
  return out;
}

// All pairs in random order.
std::vector<std::int32_t> shuffled_pairs() {
  threefry::Words key = threefry::fold_in(threefry::key(kSeed), 1000);
  std::vector<std::int32_t> order(std::size_t{kModulus} * kModulus);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::int32_t i) {
    return threefry::bits64(key, static_cast<std::uint64_t>(i));
  });
  std::vector<std::int32_t> out;
  for (std::int32_t i : order)
    out.insert(out.end(), {i / kModulus, i % kModulus});
  return out;
}

HostTensor some_pairs(int first, int count) {
  std::vector<std::int32_t> all = shuffled_pairs();
  auto begin = all.begin() + std::ptrdiff_t{2} * first;
  auto end = begin + std::ptrdiff_t{2} * count;
  return HostTensor::from(std::vector<std::int32_t>(begin, end), {count, 2});
}

std::vector<DeviceArray> initial_state(const runtime::Executable& step) {
  std::vector<DeviceArray> state;
  for (std::uint32_t i = 0; i < parameters().size(); ++i) {
    const Parameter& p = parameters()[i];
    HostTensor zeros(ArrayType{f32, p.dims});
    for (const HostTensor& value : {initial_value(p, i), zeros, zeros})
      state.push_back(step.put_argument(state.size(), value));
  }
  state.push_back(step.put_argument(state.size(), HostTensor::scalar(1.0F)));
  return state;
}

class Accuracy {
 public:
  Accuracy(const runtime::Client& client, int first, int count)
      : program_(client.compile(accuracy_of(count))),
        pairs_(program_.put_argument(parameters().size(), some_pairs(first, count))) {}

  double operator()(const std::vector<DeviceArray>& state) const {
    std::vector<DeviceArray> args;
    for (std::size_t i = 0; i < parameters().size(); ++i)
      args.push_back(state[3 * i]);
    args.push_back(pairs_);
    return program_(args)[0].to_host().to_doubles()[0];
  }

 private:
  runtime::Executable program_;
  DeviceArray pairs_;
};

// --- the loop ---------------------------------------------------------------------------------

volatile std::sig_atomic_t interrupted = 0;

// Sets `interrupted` on Ctrl-C while it lives; a second Ctrl-C ends the process as usual.
class InterruptWatch {
 public:
  InterruptWatch() {
    previous_ = std::signal(SIGINT, [](int) {
      interrupted = 1;
      std::signal(SIGINT, SIG_DFL);
    });
  }
  ~InterruptWatch() { std::signal(SIGINT, previous_); }
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  void (*previous_)(int);
};

}  // namespace

int run_demo(const DemoOptions& options) {
  std::fprintf(
      stderr,
      "No config was given, and this version has no trainer for one yet: this is a small\n"
      "built-in job. It learns to add modulo %d from %d of all %d pairs, on 8 virtual CPU\n"
      "devices as a mesh %s.\n",
      kModulus, kTrained, kModulus * kModulus, to_string(demo_mesh()).c_str());
  InterruptWatch watch;
  runtime::Client client = runtime::open({.num_devices = 8});
  runtime::Executable train = client.compile(training_step());
  Accuracy on_trained(client, 0, kTrained);
  Accuracy on_held_out(client, kTrained, kHeldOut);
  std::vector<DeviceArray> state = initial_state(train);
  DeviceArray pairs = train.put_argument(state.size(), some_pairs(0, kTrained));

  int step = 0;
  while (step < options.num_steps && interrupted == 0) {
    state.push_back(pairs);
    state = train(std::move(state));
    DeviceArray loss = std::move(state.back());
    state.pop_back();
    if (++step % options.log_every != 0 && step != 1) continue;
    std::printf("step %d  loss %.4f  accuracy %.3f  held out %.3f\n", step,
                loss.to_host().to_doubles()[0], on_trained(state), on_held_out(state));
    std::fflush(stdout);
  }
  if (interrupted != 0) {
    std::fprintf(stderr, "interrupted after step %d\n", step);
    return 128 + SIGINT;
  }
  std::printf("final accuracy on held-out pairs: %.3f\n", on_held_out(state));
  return 0;
}

}  // namespace meshwright::cli
