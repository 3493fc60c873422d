// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/hlo_module.h"

#include <algorithm>
#include <charconv>
#include <map>

#include <protozero/pbf_writer.hpp>

#include "meshwright/base/check.h"
#include "meshwright/base/proto_reader.h"
#include "meshwright/pjrt/xla_fields.h"

namespace meshwright::pjrt {
namespace {

using protozero::pbf_writer;

std::optional<DType> find_dtype(std::int64_t primitive_type) {
  static const std::map<std::int64_t, DType> kTypes = {
      {xla_field("PrimitiveType.PRED"), DType::pred}, {xla_field("PrimitiveType.S8"), DType::s8},
      {xla_field("PrimitiveType.S16"), DType::s16},   {xla_field("PrimitiveType.S32"), DType::s32},
      {xla_field("PrimitiveType.S64"), DType::s64},   {xla_field("PrimitiveType.U8"), DType::u8},
      {xla_field("PrimitiveType.U16"), DType::u16},   {xla_field("PrimitiveType.U32"), DType::u32},
      {xla_field("PrimitiveType.U64"), DType::u64},   {xla_field("PrimitiveType.F16"), DType::f16},
      {xla_field("PrimitiveType.F32"), DType::f32},   {xla_field("PrimitiveType.F64"), DType::f64},
      {xla_field("PrimitiveType.BF16"), DType::bf16}};
  auto found = kTypes.find(primitive_type);
  if (found == kTypes.end()) return std::nullopt;
  return found->second;
}

// {"known_trip_count":{"n":"4"}, ...}
std::int64_t trip_count_of(std::string_view backend_config) {
  constexpr std::string_view kBefore = "\"known_trip_count\":{\"n\":\"";
  const std::size_t at = backend_config.find(kBefore);
  std::int64_t count = 1;
  if (at == std::string_view::npos) return count;
  const std::string_view rest = backend_config.substr(at + kBefore.size());
  std::from_chars(rest.data(), rest.data() + rest.size(), count);
  return count;
}

std::string op_name_of(std::string_view metadata) {
  for (const ProtoField& field : read_proto(metadata))
    if (field.number == xla_field("OpMetadata.op_name")) return std::string(field.bytes);
  return {};
}

std::vector<std::int64_t> summed_dims(std::string_view dot_dimension_numbers) {
  std::vector<std::int64_t> out;
  for (const ProtoField& field : read_proto(dot_dimension_numbers))
    if (field.number == xla_field("DotDimensionNumbers.lhs_contracting_dimensions"))
      append_integers(field, out);
  return out;
}

constexpr int kName = xla_field("HloInstructionProto.name");
constexpr int kOpcode = xla_field("HloInstructionProto.opcode");
constexpr int kShape = xla_field("HloInstructionProto.shape");
constexpr int kMetadata = xla_field("HloInstructionProto.metadata");
constexpr int kParameterNumber = xla_field("HloInstructionProto.parameter_number");
constexpr int kTarget = xla_field("HloInstructionProto.custom_call_target");
constexpr int kDotDimensions = xla_field("HloInstructionProto.dot_dimension_numbers");
constexpr int kId = xla_field("HloInstructionProto.id");
constexpr int kOperands = xla_field("HloInstructionProto.operand_ids");
constexpr int kControlPredecessors = xla_field("HloInstructionProto.control_predecessor_ids");
constexpr int kCalled = xla_field("HloInstructionProto.called_computation_ids");
constexpr int kSharding = xla_field("HloInstructionProto.sharding");
constexpr int kBackendConfig = xla_field("HloInstructionProto.backend_config");
constexpr int kFrontendAttributes = xla_field("HloInstructionProto.frontend_attributes");
constexpr int kOriginalValue = xla_field("HloInstructionProto.original_value");

HloInstruction read_instruction(std::string_view message) {
  HloInstruction out{.raw = std::string(message)};
  for (const ProtoField& field : read_proto(message)) {
    switch (field.number) {
      case kOpcode:
        out.opcode = field.bytes;
        break;
      case kShape:
        out.shape = field.bytes;
        break;
      case kMetadata:
        out.op_name = op_name_of(field.bytes);
        break;
      case kTarget:
        out.target = field.bytes;
        break;
      case kDotDimensions:
        out.summed = summed_dims(field.bytes);
        break;
      case kId:
        out.id = field.int64();
        break;
      case kOperands:
        append_integers(field, out.operands);
        break;
      case kCalled:
        append_integers(field, out.called);
        break;
      case kBackendConfig:
        out.trip_count = trip_count_of(field.bytes);
        break;
      default:
        break;
    }
  }
  return out;
}

constexpr int kShapeParameter = xla_field("ProgramShapeProto.parameters");
constexpr int kShapeResult = xla_field("ProgramShapeProto.result");
constexpr int kShapeName = xla_field("ProgramShapeProto.parameter_names");

constexpr int kComputationName = xla_field("HloComputationProto.name");
constexpr int kInstructions = xla_field("HloComputationProto.instructions");
constexpr int kProgramShape = xla_field("HloComputationProto.program_shape");
constexpr int kComputationId = xla_field("HloComputationProto.id");
constexpr int kRootId = xla_field("HloComputationProto.root_id");

constexpr int kModuleName = xla_field("HloModuleProto.name");
constexpr int kEntryName = xla_field("HloModuleProto.entry_computation_name");
constexpr int kComputations = xla_field("HloModuleProto.computations");
constexpr int kHostProgramShape = xla_field("HloModuleProto.host_program_shape");
constexpr int kEntryId = xla_field("HloModuleProto.entry_computation_id");

HloComputation read_computation(std::string_view message) {
  HloComputation out{.raw = std::string(message)};
  for (const ProtoField& field : read_proto(message)) {
    if (field.number == kInstructions) out.instructions.push_back(read_instruction(field.bytes));
    if (field.number == kComputationId) out.id = field.int64();
    if (field.number == kRootId) out.root_id = field.int64();
  }
  return out;
}

// Returns an xla.ProgramShapeProto with new parameter names.
std::string renamed(std::string_view program_shape) {
  std::string bytes;
  pbf_writer out(bytes);
  int num_parameters = 0;
  for (const ProtoField& field : read_proto(program_shape)) {
    if (field.number == kShapeName) {
      out.add_string(kShapeName, str("p", num_parameters++));
    } else {
      bytes += field.raw;
    }
  }
  return bytes;
}

/// Renumbers computations and instructions in the order of discovery.
class Cutter {
 public:
  explicit Cutter(const HloModule& module) : module_(module) {}

  std::string cut(const HloComputation& computation, const HloInstruction& instruction) {
    write_called(instruction);
    std::string entry_bytes, shape_bytes;
    pbf_writer entry(entry_bytes), shape(shape_bytes);
    std::map<std::int64_t, std::int64_t> new_ids;
    std::int64_t num_parameters = 0;
    for (std::int64_t operand : instruction.operands) {
      if (new_ids.contains(operand)) continue;
      const HloInstruction& given = computation.instruction(operand);
      new_ids[operand] = ++last_id_;
      entry.add_message(kInstructions, given.opcode == "constant"
                                           ? rewritten(given, new_ids)
                                           : parameter(given, new_ids[operand], num_parameters));
      if (given.opcode == "constant") continue;
      shape.add_message(kShapeParameter, given.shape);
      shape.add_string(kShapeName, str("p", num_parameters++));
    }
    shape.add_message(kShapeResult, instruction.shape);
    new_ids[instruction.id] = ++last_id_;
    entry.add_message(kInstructions, rewritten(instruction, new_ids));
    const std::int64_t id = ++last_computation_;
    entry.add_string(kComputationName, "entry");
    entry.add_message(kProgramShape, shape_bytes);
    entry.add_int64(kComputationId, id);
    entry.add_int64(kRootId, new_ids[instruction.id]);
    return finish(entry_bytes, shape_bytes, id);
  }

 private:
  /// xla.HloModuleProto.
  std::string finish(const std::string& entry, const std::string& shape, std::int64_t id) const {
    std::string bytes;
    pbf_writer module(bytes);
    module.add_string(kModuleName, "cut");
    module.add_string(kEntryName, "entry");
    for (const std::string& computation : computations_)
      module.add_message(kComputations, computation);
    module.add_message(kComputations, entry);
    module.add_message(kHostProgramShape, shape);
    module.add_int64(kEntryId, id);
    return bytes;
  }

  void write_called(const HloInstruction& instruction) {
    for (std::int64_t id : instruction.called)
      if (!new_computations_.contains(id)) write_computation(module_.computation(id));
  }

  void write_computation(const HloComputation& computation) {
    std::map<std::int64_t, std::int64_t> new_ids;
    for (const HloInstruction& instruction : computation.instructions) {
      write_called(instruction);
      new_ids[instruction.id] = ++last_id_;
    }
    std::string bytes;
    pbf_writer out(bytes);
    for (const HloInstruction& instruction : computation.instructions)
      out.add_message(kInstructions, rewritten(instruction, new_ids));
    for (const ProtoField& field : read_proto(computation.raw)) {
      if (field.number == kProgramShape) out.add_message(kProgramShape, renamed(field.bytes));
      if (field.number > kRootId) bytes += field.raw;
    }
    const std::int64_t id = new_computations_[computation.id] = ++last_computation_;
    out.add_string(kComputationName, str("c", id));
    out.add_int64(kComputationId, id);
    out.add_int64(kRootId, new_ids.at(computation.root_id));
    computations_.push_back(std::move(bytes));
  }

  std::string rewritten(const HloInstruction& instruction,
                        const std::map<std::int64_t, std::int64_t>& new_ids) const {
    std::string bytes;
    pbf_writer out(bytes);
    for (const ProtoField& field : read_proto(instruction.raw)) {
      constexpr int kDropped[] = {
          kName,     kMetadata,           kId,           kOperands, kControlPredecessors, kCalled,
          kSharding, kFrontendAttributes, kOriginalValue};
      if (std::ranges::find(kDropped, field.number) == std::end(kDropped)) bytes += field.raw;
    }
    const std::int64_t id = new_ids.at(instruction.id);
    out.add_string(kName, str("i", id));
    out.add_int64(kId, id);
    if (instruction.opcode == "constant") return bytes;
    for (std::int64_t operand : instruction.operands)
      out.add_int64(kOperands, new_ids.at(operand));
    for (std::int64_t called : instruction.called)
      out.add_int64(kCalled, new_computations_.at(called));
    return bytes;
  }

  static std::string parameter(const HloInstruction& given, std::int64_t id, std::int64_t number) {
    std::string bytes;
    pbf_writer out(bytes);
    out.add_string(kName, str("i", id));
    out.add_string(kOpcode, "parameter");
    out.add_message(kShape, given.shape);
    out.add_int64(kParameterNumber, number);
    out.add_int64(kId, id);
    return bytes;
  }

  const HloModule& module_;
  std::vector<std::string> computations_;
  std::map<std::int64_t, std::int64_t> new_computations_;
  std::int64_t last_id_ = 0;
  std::int64_t last_computation_ = 0;
};

template <typename Parts>
const auto& find_id(const Parts& parts, std::int64_t id, std::string_view what) {
  auto found = std::ranges::find(parts, id, [](const auto& part) { return part.id; });
  if (found == parts.end()) fail(ErrorCode::data_loss, "optimized program: no ", what, " ", id);
  return *found;
}

}  // namespace

bool begins(std::string_view opcode, std::string_view operation) {
  return opcode.starts_with(operation) &&
         (opcode.size() == operation.size() || opcode.substr(operation.size()) == "-start");
}

namespace {

std::optional<ArrayType> type_of_shape(std::string_view shape) {
  std::optional<DType> dtype;
  Dims dims;
  for (const ProtoField& field : read_proto(shape)) {
    if (field.number == xla_field("ShapeProto.element_type")) dtype = find_dtype(field.int64());
    if (field.number == xla_field("ShapeProto.dimensions")) {
      std::vector<std::int64_t> sizes;
      append_integers(field, sizes);
      dims.insert(dims.end(), sizes.begin(), sizes.end());
    }
  }
  if (!dtype) return std::nullopt;
  return ArrayType{*dtype, dims};
}

void append_types(std::string_view shape, std::vector<ArrayType>& out) {
  if (const std::optional<ArrayType> type = type_of_shape(shape)) out.push_back(*type);
  for (const ProtoField& field : read_proto(shape))
    if (field.number == xla_field("ShapeProto.tuple_shapes")) append_types(field.bytes, out);
}

}  // namespace

std::optional<ArrayType> HloInstruction::type() const {
  return type_of_shape(shape);
}

std::vector<ArrayType> HloInstruction::types() const {
  std::vector<ArrayType> out;
  append_types(shape, out);
  return out;
}

const HloInstruction& HloComputation::instruction(std::int64_t wanted) const {
  return find_id(instructions, wanted, "instruction");
}

const HloComputation& HloModule::computation(std::int64_t id) const {
  return find_id(computations, id, "computation");
}

namespace {

// Puts the instructions of a computation in the order of their ids in `sequence`.
void apply_sequence(std::string_view sequence, HloComputation& out) {
  std::vector<std::int64_t> ids;
  for (const ProtoField& field : read_proto(sequence))
    if (field.number == xla_field("HloScheduleProto.InstructionSequence.instruction_ids"))
      append_integers(field, ids);
  std::map<std::int64_t, std::size_t> positions;
  for (std::size_t i = 0; i < ids.size(); ++i)
    positions[ids[i]] = i;
  std::ranges::stable_sort(out.instructions, {}, [&](const HloInstruction& instruction) {
    const auto found = positions.find(instruction.id);
    return found == positions.end() ? positions.size() : found->second;
  });
}

void apply_schedule(std::string_view schedule, HloModule& out) {
  for (const ProtoField& entry : read_proto(schedule)) {
    if (entry.number != xla_field("HloScheduleProto.sequences")) continue;
    std::int64_t id = 0;
    std::string_view sequence;
    for (const ProtoField& field : read_proto(entry.bytes)) {
      if (field.number == xla_field("HloScheduleProto.SequencesEntry.key")) id = field.int64();
      if (field.number == xla_field("HloScheduleProto.SequencesEntry.value"))
        sequence = field.bytes;
    }
    for (HloComputation& computation : out.computations)
      if (computation.id == id) apply_sequence(sequence, computation);
  }
}

}  // namespace

HloModule read_hlo_module(std::string_view hlo_with_config) {
  HloModule out;
  std::string_view schedule;
  for (const ProtoField& outer : read_proto(hlo_with_config)) {
    if (outer.number != xla_field("HloModuleProtoWithConfig.hlo_module")) continue;
    for (const ProtoField& field : read_proto(outer.bytes)) {
      if (field.number == kComputations) out.computations.push_back(read_computation(field.bytes));
      if (field.number == kEntryId) out.entry_id = field.int64();
      if (field.number == xla_field("HloModuleProto.schedule")) schedule = field.bytes;
    }
  }
  apply_schedule(schedule, out);
  return out;
}

std::string cut_out(const HloModule& module,
                    const HloComputation& computation,
                    const HloInstruction& instruction) {
  return Cutter(module).cut(computation, instruction);
}

}  // namespace meshwright::pjrt
