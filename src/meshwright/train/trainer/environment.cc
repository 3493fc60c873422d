// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer/environment.h"

#include <iterator>
#include <set>
#include <sstream>
#include <vector>

#include "meshwright/base/log.h"
#include "meshwright/runtime/cpu_features.h"
#include "meshwright/runtime/plugin_environment.h"

namespace meshwright::train {
namespace {

using checkpoint::Meta;

constexpr const char* kCpuFeatures = "cpu_features";
constexpr const char* kXlaFlags = "xla_flags";

// For "avx2 fma" and "avx2 amx", returns "-fma +amx".
std::string differing_words(const std::string& then, const std::string& now) {
  auto words = [](const std::string& text) {
    std::istringstream in(text);
    return std::set<std::string>(std::istream_iterator<std::string>(in), {});
  };
  const std::set<std::string> before = words(then), after = words(now);
  std::vector<std::string> out;
  for (const std::string& word : before)
    if (!after.contains(word)) out.push_back("-" + word);
  for (const std::string& word : after)
    if (!before.contains(word)) out.push_back("+" + word);
  return join(out, " ");
}

}  // namespace

std::string environment_text() {
  std::vector<std::string> parts;
  if (const std::string flags = runtime::xla_flags_of_user(); !flags.empty())
    parts.push_back("XLA flags: " + flags);
  if (const std::string variables = runtime::plugin_variables(); !variables.empty())
    parts.push_back("variables: " + variables);
  return join(parts, "; ");
}

Meta environment(const runtime::Client& client) {
  Meta out;
  out["platform"] = Scalar(client.platform());
  out["platform_version"] = Scalar(client.platform_version());
  const std::vector<runtime::DeviceInfo> devices = client.devices();
  if (!devices.empty()) out["device_kind"] = Scalar(devices[0].kind);
  // On a CPU the program is compiled for the features of its processor.
  if (client.platform() == "cpu") out[kCpuFeatures] = Scalar(runtime::cpu_features());
  out[kXlaFlags] = Scalar(runtime::xla_flags_of_user());
  out["plugin_variables"] = Scalar(runtime::plugin_variables());
  return out;
}

void warn_of_other_environment(const Meta& then, const Meta& now) {
  std::vector<std::string> found;
  for_each(now, [&](const std::string& path, const Scalar& value) {
    const Meta* before = then.find(path);  // older checkpoints record less
    if (before == nullptr || !before->is_leaf() || before->value() == value) return;
    const auto* text = std::get_if<std::string>(&value);
    const auto* old_text = std::get_if<std::string>(&before->value());
    const bool is_list =
        (path == kCpuFeatures || path == kXlaFlags) && text != nullptr && old_text != nullptr;
    found.push_back(
        is_list ? str(path, ": ", differing_words(*old_text, *text))
                : str(path, ": ", scalar_text(before->value()), " and ", scalar_text(value)));
  });
  if (!found.empty())
    log_warning(
        "the checkpoint was made in another environment, so results may differ in their last "
        "bits: ",
        join(found, "; "));
}

int process_of(const runtime::Client& client) {
  const std::vector<runtime::DeviceInfo> devices = client.devices();
  return devices.empty() ? 0 : devices[0].process;
}

}  // namespace meshwright::train
