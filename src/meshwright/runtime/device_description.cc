// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/device_description.h"

#include <algorithm>
#include <charconv>

namespace meshwright::runtime {
namespace {

template <typename T>
const T* find_attribute(const std::vector<pjrt::NamedValue>& attributes, std::string_view name) {
  for (const pjrt::NamedValue& attribute : attributes)
    if (attribute.name == name) return std::get_if<T>(&attribute.value);
  return nullptr;
}

}  // namespace

void describe_tpu(const std::vector<pjrt::NamedValue>& attributes, DeviceInfo& info) {
  const auto* slice = find_attribute<std::int64_t>(attributes, "slice_index");
  info.slice = slice != nullptr ? static_cast<int>(*slice) : 0;
  const auto* coords = find_attribute<std::vector<std::int64_t>>(attributes, "coords");
  const auto* core = find_attribute<std::int64_t>(attributes, "core_on_chip");
  if (coords != nullptr && coords->size() == 3)
    info.place = {(*coords)[0], (*coords)[1], (*coords)[2], core != nullptr ? *core : 0};
}

int compute_capability(const std::vector<pjrt::NamedValue>& attributes) {
  const auto* text = find_attribute<std::string>(attributes, "compute_capability");
  if (text == nullptr) return 0;
  const std::size_t point = std::min(text->find('.'), text->size());
  int major = 0, minor = 0;
  std::from_chars(text->data(), text->data() + point, major);
  if (point < text->size())
    std::from_chars(text->data() + point + 1, text->data() + text->size(), minor);
  return 10 * major + minor;
}

DeviceInfo describe_device(const pjrt::DeviceDescription& device, std::string_view platform) {
  DeviceInfo info{.id = device.id(), .process = device.process_index(), .kind = device.kind()};
  if (platform == "tpu") describe_tpu(device.attributes(), info);
  if (platform == "cuda") info.compute_capability = compute_capability(device.attributes());
  return info;
}

}  // namespace meshwright::runtime
