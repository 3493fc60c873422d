// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <iostream>

#include "meshwright/base/check.h"
#include "meshwright/base/json.h"
#include "meshwright/base/str.h"
#include "meshwright/cli/commands.h"
#include "meshwright/cli/exit_code.h"
#include "meshwright/cli/human_bytes.h"
#include "meshwright/cli/mesh_config.h"
#include "meshwright/cli/remedies.h"
#include "meshwright/cli/version.h"
#include "meshwright/runtime/diagnosis.h"

namespace meshwright::cli {
namespace {

using runtime::Diagnosis;

constexpr std::int64_t kMaxDevices = 1024;  // the limit of mesh.num_devices

std::string milliseconds(double seconds) {
  return str(std::llround(seconds * 1000), " ms");
}

// Indents the lines after the first, so that they continue a "  remedy: " above.
std::string indented(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "          ";
  }
  return out;
}

std::string remedy_text(const runtime::Problem& problem) {
  if (!problem.choice) return problem.remedy;
  const std::string line = remedy_line(*problem.choice, in_program(*problem.choice));
  return problem.remedy.empty() ? line : str(problem.remedy, "\n", line);
}

void print_finding(std::string_view name, const std::string& value) {
  std::cout << "  " << name << std::string(name.size() < 14 ? 14 - name.size() : 1, ' ') << value
            << "\n";
}

void print_plugin(const Diagnosis& d) {
  std::cout << "plugin\n";
  print_finding("path", d.plugin_path.empty() ? "none found" : d.plugin_path);
  if (d.api_version.empty()) return;
  print_finding("API version", d.api_version);
  print_finding("extensions", join(d.extensions, ", "));
  for (const auto& [name, value] : d.plugin_attributes)
    print_finding(name, value);
}

void print_devices(const Diagnosis& d) {
  if (d.devices.empty()) return;
  std::cout << "devices\n";
  print_finding("platform", str(d.platform, " (", d.platform_version, ")"));
  print_finding("count", str(d.devices.size(), " x ", d.devices[0].kind));
  print_finding("memories", join(d.devices[0].memory_kinds, ", "));
  for (const runtime::DeviceInfo& device : d.devices)
    if (device.limit_bytes)
      print_finding(str("device ", device.id),
                    str(human_bytes(device.in_use_bytes.value_or(0)), " of ",
                        human_bytes(*device.limit_bytes), " in use"));
  if (d.open_seconds) print_finding("opened in", milliseconds(*d.open_seconds));
  if (d.check_seconds)
    print_finding("test program", str("correct, in ", milliseconds(*d.check_seconds)));
}

void print_host(const Diagnosis& d) {
  std::cout << "host\n";
  print_finding("processors", str(d.num_cpus, " (", join(d.cpu_features, " "), ")"));
  print_finding("memory", human_bytes(d.host_memory_bytes));
  print_finding("malloc",
                d.has_jemalloc ? "jemalloc" : "the system's (faster: build with libjemalloc-dev)");
  for (const auto& [name, value] : d.environment)
    std::cout << "  " << name << "=" << value << "\n";
  std::cout << "compiled programs\n";
  print_finding("folder", d.cache.folder.empty() ? "none" : d.cache.folder.string());
  print_finding(
      "kept",
      str(d.cache.num_programs, ", ", human_bytes(static_cast<std::int64_t>(d.cache.num_bytes)),
          " of at most ", human_bytes(static_cast<std::int64_t>(d.cache.max_bytes))));
}

void print_text(const Diagnosis& d) {
  std::cout << version_line() << "\n";
  print_plugin(d);
  print_devices(d);
  print_host(d);
  for (const runtime::Problem& problem : d.problems) {
    std::cout << "problem: " << problem.cause << "\n";
    if (const std::string text = remedy_text(problem); !text.empty())
      std::cout << "  remedy: " << indented(text) << "\n";
  }
  std::cout << (d.problems.empty() ? "no problems found\n" : "");
}

void write_pairs(JsonWriter& json,
                 std::string_view name,
                 const std::vector<std::pair<std::string, std::string>>& pairs) {
  json.key(name).begin_object();
  for (const auto& [key, value] : pairs)
    json.field(key, value);
  json.end_object();
}

void write_list(JsonWriter& json, std::string_view name, const std::vector<std::string>& list) {
  json.key(name).begin_array();
  for (const std::string& element : list)
    json.value(element);
  json.end_array();
}

template <typename Number>
void write_optional(JsonWriter& json, std::string_view name, const std::optional<Number>& number) {
  json.key(name);
  number ? json.value(*number) : json.null();
}

void write_devices(JsonWriter& json, const Diagnosis& d) {
  json.key("devices").begin_array();
  for (const runtime::DeviceInfo& device : d.devices) {
    json.begin_object().field("id", device.id).field("kind", device.kind);
    write_list(json, "memories", device.memory_kinds);
    write_optional(json, "in_use_bytes", device.in_use_bytes);
    write_optional(json, "limit_bytes", device.limit_bytes);
    json.end_object();
  }
  json.end_array();
}

void print_json(const Diagnosis& d) {
  JsonWriter json;
  json.begin_object().field("version", version_line()).field("usable", d.is_usable());
  json.key("plugin").begin_object().field("path", d.plugin_path).field("api", d.api_version);
  write_list(json, "extensions", d.extensions);
  write_pairs(json, "attributes", d.plugin_attributes);
  json.end_object();
  json.field("platform", d.platform).field("platform_version", d.platform_version);
  write_devices(json, d);
  write_optional(json, "open_seconds", d.open_seconds);
  write_optional(json, "check_seconds", d.check_seconds);
  json.key("host").begin_object().field("processors", d.num_cpus);
  json.field("memory_bytes", d.host_memory_bytes);
  json.field("jemalloc", d.has_jemalloc);
  write_list(json, "cpu_features", d.cpu_features);
  write_pairs(json, "environment", d.environment);
  json.end_object();
  json.key("cache").begin_object().field("folder", d.cache.folder.string());
  json.field("writable", d.cache.is_writable).field("programs", d.cache.num_programs);
  json.field("bytes", d.cache.num_bytes).field("max_bytes", d.cache.max_bytes).end_object();
  json.key("problems").begin_array();
  for (const runtime::Problem& problem : d.problems)
    json.begin_object()
        .field("cause", problem.cause)
        .field("remedy", remedy_text(problem))
        .end_object();
  json.end_array().end_object();
  std::cout << json.str() << "\n";
}

struct DoctorArgs {
  runtime::ClientOptions options;
  std::int64_t num_devices = 8;
  bool as_json = false;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Checks the plugin, devices and compilation cache of this machine, runs a test program "
        "and suggests fixes for problems.");
    parser.option("--platform", options.platform, one_of(platforms()), "platform to check");
    parser.option("--plugin", options.plugin_path, {"PATH", Offer::files}, "PJRT plugin to load");
    parser.option("--devices", num_devices, {"N"}, "number of virtual CPU devices");
    parser.flag("--json", as_json, "print JSON");
  }
};

int check_installation(DoctorArgs& args) {
  MW_CHECK(args.num_devices >= 1 && args.num_devices <= kMaxDevices, "doctor: --devices ",
           args.num_devices, " is not between 1 and ", kMaxDevices);
  args.options.num_devices = static_cast<int>(args.num_devices);
  args.options.preallocate = false;  // a run may be using the GPU
  const Diagnosis diagnosis = runtime::diagnose(args.options);
  args.as_json ? print_json(diagnosis) : print_text(diagnosis);
  return static_cast<int>(diagnosis.is_usable() ? ExitCode::done : ExitCode::device);
}

}  // namespace

CommandBody doctor_command(const std::string& name) {
  return make_command<DoctorArgs>(name, check_installation);
}

}  // namespace meshwright::cli
