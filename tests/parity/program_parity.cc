// SPDX-License-Identifier: Apache-2.0
// usage: program_parity FOLDER [PART_OF_NAME]
//
// Runs the first training step of every model of the zoo, on one device and on meshes of eight, and
// writes initial values and results to FOLDER for program_parity.py.

#include "meshwright/runtime/client.h"
#include "models/train_step.h"
#include "models/zoo.h"
#include "program.h"

namespace meshwright::parity {
namespace {

using mesh::Mesh;
using test_models::Model;

struct Place {
  std::string name;
  Mesh mesh;
};

std::vector<Place> places(DType compute) {
  std::vector<Place> out = {{"one", Mesh()}, {"data4tensor2", Mesh({{"data", 4}, {"tensor", 2}})}};
  if (compute == f32) out.push_back({"data8", Mesh({{"data", 8}})});
  return out;
}

std::vector<std::string> names(const std::vector<test_models::ParamSpec>& params) {
  std::vector<std::string> out;
  for (const test_models::ParamSpec& param : params)
    out.push_back(param.name);
  return out;
}

std::vector<Record> run_model(const runtime::Client& client,
                              const Model& model,
                              DType compute,
                              const std::filesystem::path& folder) {
  std::vector<HostTensor> values = run(client.compile(test_models::trace_init(model)), {});
  std::vector<Record> records;
  for (const auto& [place, mesh] : places(compute)) {
    Record record(folder, str(model.name, ".", dtype_name(compute), ".", place));
    record.text("model", model.name);
    record.text("dtype", dtype_name(compute));
    record.text("params", join(names(model.params), " "));
    try {
      if (place == "one") record.arrays("values", values);
      auto step = client.compile(test_models::trace_first_steps(model, mesh));
      record.arrays("results", run(step, values));
    } catch (const Error& error) {
      record.text("error", error.what());
    }
    records.push_back(std::move(record));
  }
  return records;
}

std::vector<Record> all_records(const Request& request) {
  runtime::Client client = runtime::open({.num_devices = 8, .cache_folder = {}});
  std::vector<Record> records;
  for (DType compute : {f32, bf16}) {
    for (const Model& model : test_models::zoo(compute)) {
      if (!request.wants(model.name)) continue;
      for (Record& record : run_model(client, model, compute, request.folder))
        records.push_back(std::move(record));
    }
  }
  return records;
}

}  // namespace
}  // namespace meshwright::parity

int main(int argc, char** argv) {
  return meshwright::parity::run_program(argc, argv, meshwright::parity::all_records);
}
