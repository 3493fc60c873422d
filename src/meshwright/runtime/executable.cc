// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/executable.h"

#include <chrono>
#include <exception>
#include <thread>

#include "meshwright/base/check.h"
#include "meshwright/runtime/device_array_state.h"
#include "meshwright/runtime/executable_state.h"
#include "meshwright/runtime/transfer.h"

namespace meshwright::runtime {
namespace {

void check_results(const Signature& signature, const std::vector<ArrayType>& output_types) {
  MW_CHECK(signature.results.size() == output_types.size(), "compiling: the program has ",
           output_types.size(), " outputs, its signature ", signature.results.size());
  for (std::size_t i = 0; i < output_types.size(); ++i) {
    const ArrayLayout& layout = *signature.results[i].layout;
    if (layout.shard_type() == output_types[i]) continue;
    fail(ErrorCode::internal, "compiling: result ", i, " is ", layout, ", that is ",
         layout.shard_type(), " per device, but the compiled program returns ", output_types[i]);
  }
}

// For a program that needs this much memory, the cost of starting it is negligible.
constexpr std::int64_t kMuchMemory = 32 << 20;

// The CPU plugin reports an execution as done before it frees the execution's memory: in XLA's
// xla/pjrt/cpu/cpu_client.cc, CpuPjRtRawLoadedExecutable::Execute, a closure owns the table of
// temporary buffers (`execute_thunks`), sets `returned_future_can_be_set_event` as its last
// statement, and frees the buffers when the thread pool destroys it afterwards. An execution
// started in between allocates its own first, and the peak of resident memory stays. No event marks
// the release: `compute_reservation`, in the same closure, is destroyed before the buffers.
constexpr std::chrono::microseconds kTimeToFree(100);

/// The CPU plugin allocates the memory of intermediate values when an execution is started, even if
/// it must wait for another one. Programs that need a lot of memory are therefore not started
/// early.
bool may_run_ahead(const ClientState& client, const pjrt::Executable& program) {
  if (client.pjrt.platform_name() != "cpu") return true;
  const std::optional<pjrt::CompiledMemoryStats> memory = program.memory_stats();
  return !memory || memory->temp_bytes < kMuchMemory;
}

}  // namespace

Executable::State::State(std::shared_ptr<ClientState> in_client,
                         Compiled compiled,
                         std::optional<Signature> in_signature)
    : client(std::move(in_client)),
      loaded(std::move(compiled.loaded)),
      from_cache(compiled.from_cache),
      program(loaded.executable()),
      output_types(program.output_types()),
      devices(loaded.devices()),
      signature(std::move(in_signature)),
      lists(devices.size(), signature ? signature->arguments.size() : 0, output_types.size()),
      in_flight(kMaxInFlight) {
  if (signature) check_results(*signature, output_types);
  for (auto& events : in_flight)
    events.resize(devices.size());
}

void Executable::State::take_arguments(const std::vector<DeviceArray>& args) {
  MW_CHECK(args.size() == signature->arguments.size(), "execute: got ", args.size(),
           " arguments, the program takes ", signature->arguments.size());
  for (std::size_t i = 0; i < args.size(); ++i) {
    const Signature::Argument& argument = signature->arguments[i];
    const DeviceArray::State& array = args[i].alive("execute");
    MW_CHECK(array.layout == argument.layout || *array.layout == *argument.layout,
             "execute: argument ", i, " (", argument.name, ") is ", *argument.layout, ", got ",
             *array.layout);
    MW_CHECK(!argument.is_donated || array.num_views == 0, "execute: argument ", i, " (",
             argument.name, ") is donated, but a ShardView or a snapshot still reads it");
    for (std::size_t device = 0; device < devices.size(); ++device)
      lists.set_argument(device, i, array.buffers[device]);
  }
}

void Executable::State::wait_for(std::vector<pjrt::Event>& events) {
  std::exception_ptr first;
  for (pjrt::Event& event : events) {
    if (!event) continue;
    try {
      event.await("executing a program");
    } catch (...) {
      if (!first) first = std::current_exception();
    }
    event = {};
  }
  client->throw_kernel_error();
  if (first) std::rethrow_exception(first);
}

void Executable::State::launch() {
  if (has_run && !is_limit_known) limit_in_flight();
  auto& events = in_flight[next_in_flight];
  const bool frees_much = in_flight.size() == 1 && events[0];
  wait_for(events);
  if (frees_much) std::this_thread::sleep_for(kTimeToFree);
  // Two programs with collectives must start in the same order on every device.
  std::lock_guard lock(client->launching);
  loaded.execute(lists, events, client->next_run());
  next_in_flight = (next_in_flight + 1) % in_flight.size();
  has_run = true;
}

// Called before the second execution only: the query takes milliseconds, during which the first
// execution runs, and many programs are executed only once.
void Executable::State::limit_in_flight() {
  if (!may_run_ahead(*client, program)) {
    in_flight.resize(1);
    next_in_flight = 0;
  }
  is_limit_known = true;
}

std::vector<DeviceArray> Executable::State::take_results(std::vector<DeviceArray>& args) {
  std::vector<DeviceArray> results(output_types.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Signature::Result& result = signature->results[i];
    auto& state = results[i].state_;
    if (result.donor && args[*result.donor].state_.use_count() == 1) {
      state = std::move(args[*result.donor].state_);
      if (state->layout != result.layout) state->layout = result.layout;
    } else {
      state =
          std::make_shared<DeviceArray::State>(client, result.layout, std::vector<pjrt::Buffer>());
      state->buffers.resize(devices.size());
    }
    for (std::size_t device = 0; device < devices.size(); ++device)
      state->buffers[device] = loaded.take_output(lists, device, i);
  }
  for (std::size_t i = 0; i < args.size(); ++i)
    if (signature->arguments[i].is_donated && args[i].state_) args[i].state_->buffers.clear();
  return results;
}

Executable::Executable(std::shared_ptr<ClientState> client,
                       Compiled compiled,
                       std::optional<Signature> signature)
    : state_(
          std::make_shared<State>(std::move(client), std::move(compiled), std::move(signature))) {}

bool Executable::is_from_cache() const {
  return state_->from_cache;
}

int Executable::num_devices() const {
  return static_cast<int>(state_->devices.size());
}

int Executable::num_outputs() const {
  return static_cast<int>(state_->output_types.size());
}

const std::vector<ArrayType>& Executable::output_types() const {
  return state_->output_types;
}

const Signature& Executable::signature() const {
  MW_CHECK(state_->signature.has_value(), "an executable compiled from text has no signature");
  return *state_->signature;
}

std::string Executable::optimized_program() const {
  return state_->program.optimized_program().code;
}

std::optional<pjrt::CompiledMemoryStats> Executable::memory() const {
  return state_->program.memory_stats();
}

std::map<std::string, double> Executable::costs() const {
  return state_->program.costs();
}

namespace {

const Signature::Argument& argument_of(const Signature& signature, std::size_t index) {
  MW_CHECK(index < signature.arguments.size(), "no argument ", index, ": the program has ",
           signature.arguments.size());
  return signature.arguments[index];
}

ArrayMemory memory_of(const Signature::Argument& argument) {
  return argument.is_on_host ? ArrayMemory::pinned_host : ArrayMemory::device;
}

}  // namespace

DeviceArray Executable::put_argument(std::size_t index,
                                     const HostTensor& value,
                                     HostMemoryUse use) const {
  const Signature::Argument& argument = argument_of(signature(), index);
  MW_CHECK(value.type() == argument.layout->type(), "argument ", index, " (", argument.name,
           ") is ", argument.layout->type(), ", got ", value.type());
  return put(state_->client, argument.layout, state_->devices, value, use, memory_of(argument));
}

DeviceArray Executable::put_argument_shards(
    std::size_t index, const std::function<HostTensor(std::size_t part)>& part) const {
  const Signature::Argument& argument = argument_of(signature(), index);
  return put_shards(state_->client, argument.layout, state_->devices, part, memory_of(argument));
}

std::vector<DeviceArray> Executable::operator()(std::vector<DeviceArray> args) const {
  signature();
  std::lock_guard lock(state_->mutex);
  state_->take_arguments(args);
  state_->launch();
  return state_->take_results(args);
}

void Executable::wait() const {
  std::lock_guard lock(state_->mutex);
  for (auto& events : state_->in_flight)
    state_->wait_for(events);
}

}  // namespace meshwright::runtime
