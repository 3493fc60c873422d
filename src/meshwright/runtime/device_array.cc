// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/device_array.h"

#include <algorithm>

#include "meshwright/base/check.h"
#include "meshwright/runtime/device_array_state.h"

namespace meshwright::runtime {
namespace {

constexpr std::string_view kCopying = "copying an array to the host";

HostTensor start_copy(const pjrt::Buffer& buffer, const ArrayType& type, pjrt::Event& done) {
  HostTensor out(type);
  done = buffer.copy_to_host({out.mutable_data(), out.num_bytes()});
  return out;
}

}  // namespace

DeviceArray::DeviceArray(std::shared_ptr<ClientState> client,
                         SharedLayout layout,
                         std::vector<pjrt::Buffer> buffers)
    : state_(std::make_shared<State>(std::move(client), std::move(layout), std::move(buffers))) {}

const ArrayLayout& DeviceArray::layout() const {
  MW_CHECK(state_ != nullptr, "a null DeviceArray has no layout");
  return *state_->layout;
}

bool DeviceArray::is_alive() const {
  return state_ != nullptr && !state_->buffers.empty() && state_->buffers[0].is_alive();
}

bool DeviceArray::is_held() const {
  return state_ != nullptr && state_->num_views > 0;
}

const DeviceArray::State& DeviceArray::alive(const char* doing) const {
  MW_CHECK(state_ != nullptr, doing, ": the DeviceArray is null");
  MW_CHECK(!state_->buffers.empty(), doing, ": ", *state_->layout,
           " was donated to an execution\nuse the result that replaced it");
  return *state_;
}

bool DeviceArray::is_ready() const {
  const auto& buffers = alive("checking whether an array is ready").buffers;
  return std::all_of(buffers.begin(), buffers.end(),
                     [](const pjrt::Buffer& buffer) { return buffer.ready_event().is_ready(); });
}

void DeviceArray::wait() const {
  for (const pjrt::Buffer& buffer : alive("waiting for an array").buffers)
    buffer.ready_event().await("computing an array");
  state_->client->throw_kernel_error();
}

HostTensor DeviceArray::shard_to_host(std::size_t device) const {
  const State& state = alive("copying an array to the host");
  MW_CHECK(device < state.buffers.size(), "no shard ", device, ": the array is on ",
           state.buffers.size(), " devices");
  pjrt::Event done;
  HostTensor out = start_copy(state.buffers[device], state.layout->shard_type(), done);
  done.await(kCopying);
  state.client->throw_kernel_error();
  return out;
}

HostTensor DeviceArray::to_host() const {
  const State& state = alive("copying an array to the host");
  const ArrayLayout& layout = *state.layout;
  if (layout.num_shards() == 1) return shard_to_host(0);
  std::vector<pjrt::Event> done(layout.num_shards());
  std::vector<HostTensor> parts;
  for (std::size_t i = 0; i < done.size(); ++i)
    parts.push_back(start_copy(state.buffers[layout.device_of(i)], layout.shard_type(), done[i]));
  HostTensor out(layout.type());
  for (std::size_t i = 0; i < done.size(); ++i) {
    done[i].await(kCopying);
    layout.paste(out, i, parts[i]);
  }
  state.client->throw_kernel_error();
  return out;
}

ShardView DeviceArray::view_shard(std::size_t device) const {
  const State& state = alive("viewing an array");
  MW_CHECK(device < state.buffers.size(), "no shard ", device, ": the array is on ",
           state.buffers.size(), " devices");
  const pjrt::Buffer& buffer = state.buffers[device];
  ShardView view;
  view.type_ = state.layout->shard_type();
  if (!buffer.is_on_cpu()) {
    auto copy = std::make_shared<HostTensor>(shard_to_host(device));
    view.bytes_ = copy->bytes();
    view.owner_ = std::move(copy);
    return view;
  }
  buffer.ready_event().await("computing an array");
  state.client->throw_kernel_error();
  view.owner_ = state_;
  view.num_views_ = &state_->num_views;
  ++state_->num_views;
  view.bytes_ = {buffer.unsafe_pointer(), static_cast<std::size_t>(view.type_.num_bytes())};
  return view;
}

ShardView::ShardView(ShardView&& other) noexcept
    : owner_(std::move(other.owner_)),
      num_views_(std::exchange(other.num_views_, nullptr)),
      type_(std::move(other.type_)),
      bytes_(other.bytes_) {}

ShardView::~ShardView() {
  if (num_views_ != nullptr) --*num_views_;
}

std::uintptr_t DeviceArray::address(std::size_t device) const {
  const State& state = alive("reading the address of an array");
  state.buffers.at(device).ready_event().await("computing an array");
  return reinterpret_cast<std::uintptr_t>(state.buffers[device].unsafe_pointer());
}

}  // namespace meshwright::runtime
