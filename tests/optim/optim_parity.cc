// SPDX-License-Identifier: Apache-2.0
// usage: optim_parity FOLDER [PART_OF_NAME]
// Runs 20 updates of optimizers and 40 steps of schedules, and writes the results to FOLDER for
// optim_parity.py.

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/runtime/client.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "parity_case.h"
#include "program.h"
#include "run_updates.h"

namespace meshwright::optim {

namespace {

using parity::Record;

constexpr std::uint32_t kUpdates = 20;
constexpr int kSteps = 40;

// Some gradients are large enough to be clipped or dropped.
std::vector<HostTree> all_gradients() {
  std::vector<HostTree> out;
  for (std::uint32_t i = 0; i < kUpdates; ++i)
    out.push_back(random_values(parity_specs(), 100 + i, i % 7 == 3 ? 1.0 : 0.1));
  return out;
}

std::string paths_of(const ParamSpecs& specs) {
  std::vector<std::string> out;
  for_each(specs, [&](const std::string& path, const ParamSpec&) { out.push_back(path); });
  return join(out, " ");
}

Record inputs(const std::filesystem::path& folder) {
  Record record(folder, "inputs");
  record.text("paths", paths_of(parity_specs()));
  record.arrays("params", leaves(random_values(parity_specs(), 1)));
  std::vector<HostTensor> gradients;
  for (const HostTree& tree : all_gradients()) {
    for (const HostTensor& tensor : leaves(tree))
      gradients.push_back(tensor);
  }
  record.arrays("gradients", gradients);
  return record;
}

Record updates(const ParityCase& what, const std::filesystem::path& folder) {
  Record record(folder, "optimizer." + what.name);
  record.text("optimizer", what.name);
  try {
    Learner learner(what.learner, parity_specs());
    Updates run = run_updates(learner, random_values(parity_specs(), 1), all_gradients());
    std::vector<HostTensor> params;
    for (const HostTree& tree : run.params_after) {
      for (const HostTensor& tensor : leaves(tree))
        params.push_back(tensor);
    }
    record.arrays("params", params);
  } catch (const Error& error) {
    record.text("error", error.what());
  }
  return record;
}

Record values(const ScheduleCase& what, const std::filesystem::path& folder) {
  Record record(folder, "schedule." + what.name);
  record.text("schedule", what.name);
  graph::Tracer tracer;
  std::vector<Value> out;
  for (int step = 0; step < kSteps; ++step)
    out.push_back(graph::reshape(what.schedule(graph::constant(double{1} * step, f32)), {1}));
  auto program = runtime::test_client().compile(tracer.finish({graph::concatenate(out, 0)}));
  record.arrays("values", run(program, {}));
  return record;
}

std::vector<Record> all_records(const parity::Request& request) {
  std::vector<Record> records = {inputs(request.folder)};
  for (const auto& family : {chain_cases(), adafactor_cases()}) {
    for (const ParityCase& what : family) {
      if (request.wants(what.name)) records.push_back(updates(what, request.folder));
    }
  }
  for (const ScheduleCase& what : optax_schedule_cases()) {
    if (request.wants(what.name)) records.push_back(values(what, request.folder));
  }
  return records;
}

}  // namespace
}  // namespace meshwright::optim

int main(int argc, char** argv) {
  return meshwright::parity::run_program(argc, argv, meshwright::optim::all_records);
}
