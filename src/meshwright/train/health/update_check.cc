// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/health/update_check.h"

#include <bit>

#include "meshwright/base/crc32c.h"
#include "meshwright/base/str.h"

namespace meshwright::train {
namespace {

constexpr std::size_t kMaxNamed = 6;

std::vector<std::uint32_t> checksums(const runtime::DeviceArray& array) {
  std::vector<std::uint32_t> out;
  for (std::size_t device = 0; device < array.layout().num_devices(); ++device) {
    const runtime::ShardView shard = array.view_shard(device);
    out.push_back(
        crc32c({reinterpret_cast<const char*>(shard.bytes().data()), shard.bytes().size()}));
  }
  return out;
}

// Returns the first names as text such as "a, b, ...".
std::string first_of(const std::vector<std::string>& names) {
  if (names.size() <= kMaxNamed) return join(names, ", ");
  return join(std::vector(names.begin(), names.begin() + kMaxNamed), ", ") + ", ...";
}

// Returns "" if all devices differ.
std::string devices_that_differ(const std::vector<std::uint32_t>& first,
                                const std::vector<std::uint32_t>& second) {
  std::vector<std::string> found;
  for (std::size_t device = 0; device < first.size(); ++device)
    if (first[device] != second[device]) found.push_back(str(device));
  if (found.size() == first.size()) return "";
  return str(found.size() == 1 ? " (device " : " (devices ", join(found, " "), ")");
}

}  // namespace

UpdateBits bits_of(const StepRunner& runner, const StepResults& results) {
  UpdateBits out;
  const HostTensor metrics = results.metrics.to_host();
  out.metrics.assign(metrics.values<float>().begin(), metrics.values<float>().end());
  for_each(runner.state(),
           [&](const runtime::DeviceArray& array) { out.state.push_back(checksums(array)); });
  return out;
}

std::string difference(const UpdateBits& first,
                       const UpdateBits& second,
                       const std::vector<std::string>& metric_names,
                       const std::vector<std::string>& array_names) {
  std::vector<std::string> metrics, arrays;
  for (std::size_t i = 0; i < first.metrics.size(); ++i) {
    const float a = first.metrics[i], b = second.metrics[i];
    if (std::bit_cast<std::uint32_t>(a) != std::bit_cast<std::uint32_t>(b))
      metrics.push_back(str(metric_names[i], " ", a, " and ", b));
  }
  for (std::size_t i = 0; i < first.state.size(); ++i) {
    if (first.state[i] != second.state[i])
      arrays.push_back(array_names[i] + devices_that_differ(first.state[i], second.state[i]));
  }
  std::vector<std::string> out;
  if (!metrics.empty()) out.push_back(first_of(metrics));
  if (!arrays.empty())
    out.push_back(
        str(arrays.size(), " of ", array_names.size(), " arrays of the state: ", first_of(arrays)));
  return join(out, "; ");
}

}  // namespace meshwright::train
