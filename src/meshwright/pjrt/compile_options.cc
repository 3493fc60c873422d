// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/compile_options.h"

#include <numeric>

#include <protozero/pbf_writer.hpp>

#include "meshwright/base/check.h"
#include "meshwright/pjrt/xla_fields.h"

namespace meshwright::pjrt {
namespace {

using protozero::pbf_writer;

// One ComputationDevice per partition lists the device of each replica.
void add_device_assignment(pbf_writer& build_options, const CompileOptions& options) {
  const std::vector<int> ids = options.device_assignment();
  pbf_writer out(build_options, xla_field("ExecutableBuildOptionsProto.device_assignment"));
  out.add_int32(xla_field("DeviceAssignmentProto.replica_count"), options.num_replicas);
  out.add_int32(xla_field("DeviceAssignmentProto.computation_count"), options.num_partitions);
  for (int partition = 0; partition < options.num_partitions; ++partition) {
    std::vector<int> devices;
    for (int replica = 0; replica < options.num_replicas; ++replica) {
      const int at = replica * options.num_partitions + partition;
      devices.push_back(ids[static_cast<std::size_t>(at)]);
    }
    pbf_writer computation(out, xla_field("DeviceAssignmentProto.computation_devices"));
    computation.add_packed_int64(
        xla_field("DeviceAssignmentProto.ComputationDevice.replica_device_ids"), devices.begin(),
        devices.end());
  }
}

void add_build_options(pbf_writer& compile_options, const CompileOptions& options) {
  pbf_writer out(compile_options, xla_field("CompileOptionsProto.executable_build_options"));
  // -1: the device assignment decides.
  out.add_int64(xla_field("ExecutableBuildOptionsProto.device_ordinal"), -1);
  out.add_int64(xla_field("ExecutableBuildOptionsProto.num_replicas"), options.num_replicas);
  out.add_int64(xla_field("ExecutableBuildOptionsProto.num_partitions"), options.num_partitions);
  out.add_bool(xla_field("ExecutableBuildOptionsProto.use_spmd_partitioning"),
               options.num_partitions > 1);
  add_device_assignment(out, options);
  out.add_bool(xla_field("ExecutableBuildOptionsProto.use_shardy_partitioner"), true);
}

struct OverrideWriter {
  pbf_writer& out;
  void operator()(const std::string& value) const {
    out.add_string(xla_field("OptionOverrideProto.string_field"), value);
  }
  void operator()(bool value) const {
    out.add_bool(xla_field("OptionOverrideProto.bool_field"), value);
  }
  void operator()(std::int64_t value) const {
    out.add_int64(xla_field("OptionOverrideProto.int_field"), value);
  }
  void operator()(double value) const {
    out.add_double(xla_field("OptionOverrideProto.double_field"), value);
  }
};

}  // namespace

std::vector<int> CompileOptions::device_assignment() const {
  if (!device_ids.empty()) return device_ids;
  std::vector<int> ids(static_cast<std::size_t>(num_devices()));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

std::string serialize(const CompileOptions& options) {
  MW_CHECK(options.num_replicas >= 1 && options.num_partitions >= 1,
           "compile options: ", options.num_replicas, " replicas and ", options.num_partitions,
           " partitions; both must be at least 1");
  MW_CHECK(options.device_ids.empty() || std::ssize(options.device_ids) == options.num_devices(),
           "compile options: ", options.device_ids.size(), " device ids for ", options.num_replicas,
           " replicas x ", options.num_partitions, " partitions");
  std::string bytes;
  pbf_writer out(bytes);
  add_build_options(out, options);
  for (const auto& [name, value] : options.debug_options) {
    pbf_writer entry(out, xla_field("CompileOptionsProto.env_option_overrides"));
    entry.add_string(xla_field("CompileOptionsProto.EnvOptionOverridesEntry.key"), name);
    pbf_writer option(entry, xla_field("CompileOptionsProto.EnvOptionOverridesEntry.value"));
    std::visit(OverrideWriter{option}, value);
  }
  return bytes;
}

}  // namespace meshwright::pjrt
