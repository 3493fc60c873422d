// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace meshwright::pjrt {

/// The number of a field, or of an enum value, in XLA's protocol buffers.
struct XlaField {
  std::string_view name;  // without the package `xla`
  int number = 0;
};

/// Internal to pjrt/. All fields and values that Meshwright reads or writes;
/// tests/peer/xla_fields_test.cc compares them with the descriptors in the plugin.
inline constexpr XlaField kXlaFields[] = {
    // xla/service/hlo.proto
    {"HloModuleProto.name", 1},
    {"HloModuleProto.entry_computation_name", 2},
    {"HloModuleProto.computations", 3},
    {"HloModuleProto.host_program_shape", 4},
    {"HloModuleProto.entry_computation_id", 6},
    {"HloModuleProto.schedule", 7},
    {"HloScheduleProto.sequences", 1},
    {"HloScheduleProto.SequencesEntry.key", 1},
    {"HloScheduleProto.SequencesEntry.value", 2},
    {"HloScheduleProto.InstructionSequence.instruction_ids", 1},
    {"HloComputationProto.name", 1},
    {"HloComputationProto.instructions", 2},
    {"HloComputationProto.program_shape", 4},
    {"HloComputationProto.id", 5},
    {"HloComputationProto.root_id", 6},
    {"HloInstructionProto.name", 1},
    {"HloInstructionProto.opcode", 2},
    {"HloInstructionProto.shape", 3},
    {"HloInstructionProto.metadata", 7},
    {"HloInstructionProto.parameter_number", 9},
    {"HloInstructionProto.custom_call_target", 28},
    {"HloInstructionProto.dot_dimension_numbers", 30},
    {"HloInstructionProto.id", 35},
    {"HloInstructionProto.operand_ids", 36},
    {"HloInstructionProto.control_predecessor_ids", 37},
    {"HloInstructionProto.called_computation_ids", 38},
    {"HloInstructionProto.sharding", 40},
    {"HloInstructionProto.backend_config", 43},
    {"HloInstructionProto.frontend_attributes", 68},
    {"HloInstructionProto.original_value", 88},
    // xla/xla.proto
    {"HloModuleProtoWithConfig.hlo_module", 1},
    // xla/xla_data.proto
    {"DotDimensionNumbers.lhs_contracting_dimensions", 1},
    {"OpMetadata.op_name", 2},
    {"ProgramShapeProto.parameters", 1},
    {"ProgramShapeProto.result", 2},
    {"ProgramShapeProto.parameter_names", 3},
    {"ShapeProto.element_type", 2},
    {"ShapeProto.dimensions", 3},
    {"ShapeProto.tuple_shapes", 4},
    {"DeviceAssignmentProto.replica_count", 1},
    {"DeviceAssignmentProto.computation_count", 2},
    {"DeviceAssignmentProto.computation_devices", 3},
    {"DeviceAssignmentProto.ComputationDevice.replica_device_ids", 1},
    {"PrimitiveType.PRED", 1},
    {"PrimitiveType.S8", 2},
    {"PrimitiveType.S16", 3},
    {"PrimitiveType.S32", 4},
    {"PrimitiveType.S64", 5},
    {"PrimitiveType.U8", 6},
    {"PrimitiveType.U16", 7},
    {"PrimitiveType.U32", 8},
    {"PrimitiveType.U64", 9},
    {"PrimitiveType.F16", 10},
    {"PrimitiveType.F32", 11},
    {"PrimitiveType.F64", 12},
    {"PrimitiveType.BF16", 16},
    // xla/pjrt/proto/compile_options.proto
    {"CompileOptionsProto.executable_build_options", 3},
    {"CompileOptionsProto.env_option_overrides", 7},
    {"CompileOptionsProto.EnvOptionOverridesEntry.key", 1},
    {"CompileOptionsProto.EnvOptionOverridesEntry.value", 2},
    {"ExecutableBuildOptionsProto.device_ordinal", 1},
    {"ExecutableBuildOptionsProto.num_replicas", 4},
    {"ExecutableBuildOptionsProto.num_partitions", 5},
    {"ExecutableBuildOptionsProto.use_spmd_partitioning", 6},
    {"ExecutableBuildOptionsProto.device_assignment", 9},
    {"ExecutableBuildOptionsProto.use_shardy_partitioner", 19},
    {"OptionOverrideProto.string_field", 1},
    {"OptionOverrideProto.bool_field", 2},
    {"OptionOverrideProto.int_field", 3},
    {"OptionOverrideProto.double_field", 4},
};

/// Returns the number of a field in kXlaFields. An unknown name does not compile.
consteval int xla_field(std::string_view name) {
  for (const XlaField& field : kXlaFields)
    if (field.name == name) return field.number;
  throw "no such field in kXlaFields";
}

}  // namespace meshwright::pjrt
