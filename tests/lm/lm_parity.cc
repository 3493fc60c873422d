// SPDX-License-Identifier: Apache-2.0
// usage: lm_parity FOLDER [PART_OF_NAME]
//
// Trains a small language model with the trainer's step program, with AdamW and Adafactor, scanned
// and unrolled, on one device and on eight, and writes the initial parameters, batches and the
// losses of all steps to FOLDER for lm_parity.py.
#include <string>
#include <vector>

#include "meshwright/data/core/lm_batch.h"
#include "meshwright/data/generated/arithmetic.h"
#include "meshwright/optim/optimizers/adamw.h"
#include "meshwright/optim/optimizers/optax_adafactor.h"
#include "meshwright/optim/transforms/clip.h"
#include "meshwright/runtime/client.h"
#include "meshwright/tasks/lm.h"
#include "meshwright/train/step/step_runner.h"
#include "program.h"

namespace meshwright::parity {
namespace {

constexpr int kNumSteps = 50;
constexpr int kWarmupSteps = 10;

// Steps as optax counts them: 0 at the first update, the peak at kWarmupSteps, a tenth of it at the
// end.
optim::Schedule rate(double peak) {
  return optim::stepwise({optim::polynomial({.end = kWarmupSteps, .end_value = peak}),
                          optim::cosine_decay(peak, kNumSteps - kWarmupSteps, 0.1)},
                         {kWarmupSteps});
}

optim::Transform optimizer(const std::string& name) {
  if (name == "adafactor")
    return optim::optax_adafactor({.learning_rate = rate(0.02), .min_dim_size_to_factor = 32});
  return optim::chain({optim::clip_by_global_norm({.max_norm = 1.0, .eps = 0}),
                       optim::adamw({.learning_rate = rate(3e-3),
                                     .first_step = 0,
                                     .adam = {.b2 = 0.95},
                                     .weight_decay = {0.1}})});
}

train::Placement eight_devices() {
  train::Placement out{.mesh = mesh::Mesh({{"data", 2}, {"fsdp", 2}, {"tensor", 2}})};
  out.params = {
      {"embed", {"fsdp"}}, {"kv", {"tensor"}}, {"mlp", {"tensor"}}, {"vocab", {"tensor"}}};
  out.activations = {
      {"batch", {"data", "fsdp"}}, {"kv", {"tensor"}}, {"mlp", {"tensor"}}, {"vocab", {"tensor"}}};
  return out;
}

tasks::LmConfig task_config(tasks::StackChoice stack) {
  tasks::LmConfig out;
  out.model.vocab = std::ssize(data::kArithmeticVocab);
  out.model.layers = 3;
  out.model.embed = 64;
  out.model.kv = 2;
  out.model.q = 2;
  out.model.dim = 16;
  out.model.mlp = 128;
  out.model.stack = stack;
  return out;
}

struct Case {
  std::string optimizer, stack, place;

  std::string name() const { return str(optimizer, ".", stack, ".", place); }
};

std::vector<HostTensor> to_host(const std::vector<runtime::DeviceArray>& arrays) {
  std::vector<HostTensor> out;
  for (const runtime::DeviceArray& array : arrays)
    out.push_back(array.to_host());
  return out;
}

Record run_case(const runtime::Client& client,
                const Case& c,
                const data::Source& source,
                const std::filesystem::path& folder) {
  auto stack = c.stack == "scanned" ? tasks::StackChoice::scanned : tasks::StackChoice::unrolled;
  tasks::LmTask task(task_config(stack), source.spec().at(data::kInputs).value().type.dims[1]);
  train::Placement placement = c.place == "eight" ? eight_devices() : train::Placement();
  const train::TrainingSetup setup(task, optim::learn_by(optimizer(c.optimizer)), placement);
  train::StepRunner runner(client, setup, source.spec(), {});
  runner.init(1);

  Record record(folder, c.name());
  std::vector<std::string> paths;
  for (const auto& [path, spec] : flatten(task.param_specs()))
    paths.push_back(path);
  record.text("optimizer", c.optimizer);
  record.text("params", join(paths, " "));
  record.arrays("values", to_host(runner.part("model")));
  std::vector<float> losses;
  for (int step = 0; step < kNumSteps; ++step) {
    HostTensor metrics = runner.update(data::whole_batch(source, step)).metrics.to_host();
    losses.push_back(metrics.values<float>()[train::kLossMetric]);
  }
  record.arrays("losses", {HostTensor::from(losses, {kNumSteps})});
  return record;
}

Record batches(const data::Source& source, const std::filesystem::path& folder) {
  Record record(folder, "batches");
  std::vector<HostTensor> arrays;
  for (int step = 0; step < kNumSteps; ++step) {
    for (const HostTensor& array : leaves(data::whole_batch(source, step)))
      arrays.push_back(array);  // inputs, targets, weights
  }
  record.arrays("batches", arrays);
  return record;
}

std::vector<Record> all_records(const Request& request) {
  runtime::Client client = runtime::open({.num_devices = 8, .cache_folder = {}});
  data::ArithmeticSource source({.batch_size = 16, .seed = 3});
  std::vector<Record> records = {batches(source, request.folder)};
  for (const char* optimizer : {"adamw", "adafactor"}) {
    for (const char* stack : {"scanned", "unrolled"}) {
      for (const char* place : {"one", "eight"}) {
        Case c{optimizer, stack, place};
        if (request.wants(c.name())) records.push_back(run_case(client, c, source, request.folder));
      }
    }
  }
  return records;
}

}  // namespace
}  // namespace meshwright::parity

int main(int argc, char** argv) {
  return meshwright::parity::run_program(argc, argv, meshwright::parity::all_records);
}
