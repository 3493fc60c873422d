// SPDX-License-Identifier: Apache-2.0
// usage: op_parity FOLDER [PART_OF_NAME [SEED]]
//
// Runs every parity case and writes inputs and results to FOLDER for op_parity.py.
#include <algorithm>
#include <iterator>

#include "case.h"
#include "meshwright/autodiff/grad.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/runtime/client.h"
#include "program.h"

namespace meshwright::parity {
namespace {

struct Traced {
  graph::Program program;
  std::size_t num_outputs = 0;
  std::vector<HostTensor> cotangents;  // for the float outputs
};

// The case as a function of its float arguments, the only ones with a gradient.
autodiff::Function of_floats(const Case& c, const std::vector<Value>& inputs) {
  return [&](std::span<const Value> floats) {
    std::vector<Value> full = inputs;
    std::size_t next = 0;
    for (Value& input : full)
      input = is_float(input.dtype()) ? floats[next++] : input;
    return c.build(full);
  };
}

// Returns a program of the arguments and of cotangents for the float outputs; its results are the
// outputs, then the gradients of the float arguments.
Traced trace_case(const Case& c, const std::vector<HostTensor>& args, std::uint64_t seed) {
  graph::Tracer tracer({.mesh = mesh_of(c)});
  std::vector<Value> inputs, floats;
  for (const HostTensor& arg : args) {
    inputs.push_back(tracer.argument(arg.type()));
    if (is_float(arg.dtype())) floats.push_back(inputs.back());
  }
  if (!c.gradient || floats.empty()) {
    std::vector<Value> outputs = c.build(inputs);
    return {tracer.finish(outputs), outputs.size(), {}};
  }
  autodiff::Vjp vjp = autodiff::vjp(of_floats(c, inputs), floats);
  std::vector<Value> results = vjp.results;
  std::mt19937_64 engine(seed);
  std::vector<HostTensor> cotangents;
  std::vector<Value> cotangent_values(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!is_float(results[i].dtype())) continue;
    cotangents.push_back(draw_normal(results[i].type(), engine));
    cotangent_values[i] = tracer.argument(results[i].type().array());
  }
  std::ranges::copy(vjp.pullback(cotangent_values), std::back_inserter(results));
  return {tracer.finish(results), vjp.results.size(), std::move(cotangents)};
}

Record run_case(const runtime::Client& client,
                const Case& c,
                DType dtype,
                std::uint64_t seed,
                const std::filesystem::path& folder) {
  Record record(folder, str(c.name, ".", dtype_name(dtype)));
  record.text("dtype", dtype_name(dtype));
  record.text("jax", c.jax);
  record.number("tolerance", c.tolerance);
  std::vector<HostTensor> args = draw_arguments(c, dtype, seed);
  record.arrays("args", args);
  try {
    Traced traced = trace_case(c, args, seed);
    record.arrays("cotangents", traced.cotangents);
    args.insert(args.end(), traced.cotangents.begin(), traced.cotangents.end());
    runtime::Executable executable = client.compile(traced.program);
    std::vector<HostTensor> results = runtime::run(executable, args);
    auto middle = results.begin() + static_cast<std::ptrdiff_t>(traced.num_outputs);
    record.arrays("outputs", {results.begin(), middle});
    record.arrays("gradients", {middle, results.end()});
  } catch (const Error& error) {
    record.text("error", error.what());  // continue after a broken op
  }
  return record;
}

std::vector<Record> all_records(const Request& request) {
  runtime::Client client = runtime::open({.num_devices = 8, .cache_folder = {}});
  std::vector<Record> records;
  for (const Case& c : all_cases()) {
    if (!request.wants(c.name)) continue;
    for (DType dtype : c.dtypes)
      records.push_back(run_case(client, c, dtype, request.seed, request.folder));
  }
  return records;
}

}  // namespace
}  // namespace meshwright::parity

int main(int argc, char** argv) {
  return meshwright::parity::run_program(argc, argv, meshwright::parity::all_records);
}
