// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/compile_options.h"

#include <numeric>

#include "meshwright/base/check.h"
#include "meshwright/base/proto_writer.h"

namespace meshwright::pjrt {
namespace {

// xla.DeviceAssignmentProto: one ComputationDevice per partition lists the device of each replica.
std::string device_assignment_proto(const CompileOptions& options) {
  std::vector<int> ids = options.device_assignment();
  ProtoWriter out;
  out.int64(1, options.num_replicas);
  out.int64(2, options.num_partitions);
  for (int partition = 0; partition < options.num_partitions; ++partition) {
    ProtoWriter packed;
    for (int replica = 0; replica < options.num_replicas; ++replica) {
      const int at = replica * options.num_partitions + partition;
      packed.raw_varint(static_cast<std::uint64_t>(ids[static_cast<std::size_t>(at)]));
    }
    ProtoWriter computation;
    computation.bytes(1, packed.str());
    out.bytes(3, computation.str());
  }
  return out.str();
}

// xla.ExecutableBuildOptionsProto.
std::string build_options_proto(const CompileOptions& options) {
  ProtoWriter out;
  out.int64(1, -1);  // device_ordinal: use the assignment below
  out.int64(4, options.num_replicas);
  out.int64(5, options.num_partitions);
  out.boolean(6, options.num_partitions > 1);  // use_spmd_partitioning
  out.bytes(9, device_assignment_proto(options));
  out.boolean(19, true);  // use_shardy_partitioner
  return out.str();
}

// xla.OptionOverrideProto.
struct OverrideWriter {
  ProtoWriter& out;
  void operator()(const std::string& value) const { out.bytes(1, value); }
  void operator()(bool value) const { out.boolean(2, value); }
  void operator()(std::int64_t value) const { out.int64(3, value); }
  void operator()(double value) const { out.float64(4, value); }
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
  ProtoWriter out;
  out.bytes(3, build_options_proto(options));
  for (const auto& [name, value] : options.debug_options) {
    ProtoWriter option;
    std::visit(OverrideWriter{option}, value);
    ProtoWriter entry;
    entry.bytes(1, name);
    entry.bytes(2, option.str());
    out.bytes(7, entry.str());
  }
  return out.str();
}

}  // namespace meshwright::pjrt
