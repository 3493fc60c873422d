// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/random/threefry_handlers.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "meshwright/base/threefry.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::graph::random {
namespace {

using pjrt::KernelCall;

// Elements per task; few enough to fit into the inner caches.
constexpr std::int64_t kElementsOfTask = 1 << 13;

std::span<const std::uint32_t> words(const KernelCall& call, int input) {
  return call.input(input).values<std::uint32_t>();
}

std::int64_t num_tasks(std::int64_t num_elements) {
  return (num_elements + kElementsOfTask - 1) / kElementsOfTask;
}

struct ThreefryHash {
  static constexpr std::string_view kName = "mw_threefry_hash";
  static constexpr int kAbiVersion = 1;

  static void run(KernelCall& call) {
    const auto key_high = words(call, 0), key_low = words(call, 1);
    const auto counter_high = words(call, 2), counter_low = words(call, 3);
    const auto high = call.output(0).values<std::uint32_t>();
    const auto low = call.output(1).values<std::uint32_t>();
    const auto size = std::ssize(high);
    const auto num_of_key = size == 0 ? 1 : high.size() / key_high.size();
    call.parallel_for(num_tasks(size), [&](std::int64_t task) {
      const auto begin = static_cast<std::size_t>(task * kElementsOfTask);
      const std::size_t end = std::min(high.size(), begin + kElementsOfTask);
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t key = i / num_of_key;
        const threefry::KeyWords hashed =
            threefry::hash({key_high[key], key_low[key]}, {counter_high[i], counter_low[i]});
        high[i] = hashed[0];
        low[i] = hashed[1];
      }
    });
  }
};

void fill(threefry::KeyWords key, std::uint64_t first, std::span<std::uint32_t> out) {
  threefry::fill_bits32(key, first, out);
}
void fill(threefry::KeyWords key, std::uint64_t first, std::span<std::uint64_t> out) {
  threefry::fill_bits64(key, first, out);
}

struct ThreefryBits {
  static constexpr std::string_view kName = "mw_threefry_bits";
  static constexpr int kAbiVersion = 1;

  static void run(KernelCall& call) {
    call.output(0).dtype == DType::u64 ? draw<std::uint64_t>(call) : draw<std::uint32_t>(call);
  }

  // Each task draws from a single key.
  template <typename Bits>
  static void draw(const KernelCall& call) {
    const auto high = words(call, 0), low = words(call, 1);
    const auto out = call.output(0).values<Bits>();
    if (out.empty()) return;
    const std::size_t num_of_key = out.size() / high.size();
    const std::int64_t tasks_of_key = num_tasks(static_cast<std::int64_t>(num_of_key));
    call.parallel_for(std::ssize(high) * tasks_of_key, [&](std::int64_t task) {
      const auto key = static_cast<std::size_t>(task / tasks_of_key);
      const auto first = static_cast<std::size_t>(task % tasks_of_key * kElementsOfTask);
      const std::size_t size = std::min<std::size_t>(kElementsOfTask, num_of_key - first);
      fill({high[key], low[key]}, first, out.subspan(key * num_of_key + first, size));
    });
  }
};

}  // namespace

constexpr pjrt::Kernel kThreefryHashHandler = pjrt::kernel<ThreefryHash>();
constexpr pjrt::Kernel kThreefryBitsHandler = pjrt::kernel<ThreefryBits>();

}  // namespace meshwright::graph::random
