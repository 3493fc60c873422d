// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/instruction_timer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <random>

#include "meshwright/tensor/host_tensor.h"

namespace meshwright::runtime {
namespace {

using Clock = std::chrono::steady_clock;

// A program is repeated until both are reached.
constexpr std::size_t kMinRuns = 3;
constexpr double kMinSeconds = 0.01;

constexpr const char* kEmptiest =
    "func.func public @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }";

/// Returns numbers from 0.5 to 1, or 0 and 1 for integers, which avoid slow cases such as
/// subnormals.
HostTensor some_values(const ArrayType& type) {
  HostTensor out(type);
  std::uint64_t base = 0, mask = 1;
  if (type.dtype == f32) base = 0x3f000000, mask = 0x7fffff;
  if (type.dtype == bf16) base = 0x3f00, mask = 0x7f;
  if (type.dtype == f16) base = 0x3800, mask = 0x3ff;
  if (type.dtype == f64) base = 0x3fe0000000000000, mask = 0xfffffffffffff;
  std::minstd_rand random;
  const std::size_t width = byte_size(type.dtype);
  for (std::size_t at = 0; at < out.num_bytes(); at += width) {
    const std::uint64_t bits = base | ((random() >> 3) & mask);
    std::memcpy(out.mutable_data() + at, &bits, width);
  }
  return out;
}

double run_once(const pjrt::LoadedExecutable& loaded,
                pjrt::ExecuteLists& lists,
                std::size_t num_outputs) {
  std::array<pjrt::Event, 1> done;
  const Clock::time_point begin = Clock::now();
  loaded.execute(lists, done);
  done[0].await("timing an instruction");
  const std::chrono::duration<double> took = Clock::now() - begin;
  for (std::size_t i = 0; i < num_outputs; ++i)
    (void)loaded.take_output(lists, 0, i);
  return took.count();
}

}  // namespace

InstructionTimer::InstructionTimer(const ClientState& client)
    : client_(client), device_(client.pjrt.addressable_devices().at(0)) {
  overhead_ = run(client.pjrt.compile(kEmptiest, {}), {{f32, {}}});
}

std::optional<double> InstructionTimer::seconds(const std::string& program,
                                                const std::vector<ArrayType>& inputs) {
  try {
    // The program is already optimized and must not change again.
    const pjrt::CompileOptions options{.debug_options = {{"xla_disable_all_hlo_passes", true}}};
    const double found =
        run(client_.pjrt.compile(program, options, pjrt::ProgramFormat::hlo), inputs);
    return std::max(0.0, found - overhead_);
  } catch (const Error&) {
    return std::nullopt;
  }
}

double InstructionTimer::run(const pjrt::LoadedExecutable& loaded,
                             const std::vector<ArrayType>& inputs) {
  const auto num_outputs = static_cast<std::size_t>(loaded.executable().num_outputs());
  pjrt::ExecuteLists lists(1, inputs.size(), num_outputs);
  std::map<std::string, std::size_t> num_alike;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    lists.set_argument(0, i, values(inputs[i], num_alike[to_string(inputs[i])]++));
  run_once(loaded, lists, num_outputs);
  std::vector<double> samples;
  double sum = 0;
  while (samples.size() < kMinRuns || sum < kMinSeconds) {
    samples.push_back(run_once(loaded, lists, num_outputs));
    sum += samples.back();
  }
  const auto middle = samples.begin() + std::ssize(samples) / 2;
  std::ranges::nth_element(samples, middle);
  return *middle;
}

const pjrt::Buffer& InstructionTimer::values(const ArrayType& type, std::size_t number) {
  std::vector<pjrt::Buffer>& known = buffers_[to_string(type)];
  while (known.size() <= number)
    known.push_back(client_.pjrt.buffer_from_host(some_values(type).data(), type, device_,
                                                  pjrt::HostMemory::copied_during_call));
  return known[number];
}

}  // namespace meshwright::runtime
