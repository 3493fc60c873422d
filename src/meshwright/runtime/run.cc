// SPDX-License-Identifier: Apache-2.0
// Single runs from host memory to host memory.
#include "meshwright/base/check.h"
#include "meshwright/runtime/executable.h"
#include "meshwright/runtime/executable_state.h"

namespace meshwright::runtime {

std::vector<HostTensor> run(const Executable& executable, const std::vector<HostTensor>& args) {
  const Signature& signature = executable.signature();
  MW_CHECK(args.size() == signature.arguments.size(), "run: got ", args.size(),
           " arguments, the program takes ", signature.arguments.size());
  std::vector<DeviceArray> inputs;
  for (std::size_t i = 0; i < args.size(); ++i)
    inputs.push_back(executable.put_argument(i, args[i]));
  std::vector<HostTensor> results;
  for (const DeviceArray& output : executable(std::move(inputs)))
    results.push_back(output.to_host());
  return results;
}

std::vector<std::vector<HostTensor>> run_shards(const Executable& executable,
                                                const std::vector<std::vector<HostTensor>>& args) {
  const auto& state = *executable.state_;
  const std::size_t num_devices = state.devices.size();
  MW_CHECK(args.size() == num_devices, "run: arguments for ", args.size(),
           " devices, but the program runs on ", num_devices);
  const std::size_t num_args = args[0].size();
  pjrt::ExecuteLists lists(num_devices, num_args, state.output_types.size());
  std::vector<pjrt::Buffer> inputs;
  for (std::size_t device = 0; device < num_devices; ++device) {
    MW_CHECK(args[device].size() == num_args, "run: device ", device, " has ", args[device].size(),
             " arguments, device 0 has ", num_args);
    for (std::size_t i = 0; i < num_args; ++i) {
      const HostTensor& arg = args[device][i];
      inputs.push_back(state.client->pjrt.buffer_from_host(
          arg.data(), arg.type(), state.devices[device], pjrt::HostMemory::copied_during_call));
      lists.set_argument(device, i, inputs.back());
    }
  }
  state.loaded.execute(lists, {}, state.client->next_run());
  std::vector<std::vector<pjrt::Buffer>> outputs(num_devices);
  for (std::size_t device = 0; device < num_devices; ++device)
    for (std::size_t i = 0; i < state.output_types.size(); ++i)
      outputs[device].push_back(state.loaded.take_output(lists, device, i));
  std::vector<std::vector<HostTensor>> results(num_devices);
  for (std::size_t device = 0; device < num_devices; ++device) {
    for (const pjrt::Buffer& output : outputs[device]) {
      HostTensor& result = results[device].emplace_back(output.type());
      output.copy_to_host({result.mutable_data(), result.num_bytes()}).await("running a program");
    }
  }
  state.client->throw_kernel_error();
  return results;
}

}  // namespace meshwright::runtime
