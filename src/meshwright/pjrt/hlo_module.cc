// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/hlo_module.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

#include "meshwright/base/check.h"
#include "meshwright/base/proto_reader.h"
#include "meshwright/base/proto_writer.h"

namespace meshwright::pjrt {
namespace {

// xla.PrimitiveType.
std::optional<DType> find_dtype(std::int64_t primitive_type) {
  static const std::map<std::int64_t, DType> kTypes = {
      {1, DType::pred}, {2, DType::s8},   {3, DType::s16},  {4, DType::s32}, {5, DType::s64},
      {6, DType::u8},   {7, DType::u16},  {8, DType::u32},  {9, DType::u64}, {10, DType::f16},
      {11, DType::f32}, {12, DType::f64}, {16, DType::bf16}};
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
    if (field.number == 2) return std::string(field.bytes);
  return {};
}

// Fields of xla.HloInstructionProto.
constexpr int kName = 1;
constexpr int kOpcode = 2;
constexpr int kShape = 3;
constexpr int kMetadata = 7;
constexpr int kParameterNumber = 9;
constexpr int kTarget = 28;
constexpr int kId = 35;
constexpr int kOperands = 36;
constexpr int kControlPredecessors = 37;
constexpr int kCalled = 38;
constexpr int kSharding = 40;
constexpr int kBackendConfig = 43;
constexpr int kFrontendAttributes = 68;
constexpr int kOriginalValue = 88;

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

// Fields of xla.ProgramShapeProto.
constexpr int kShapeParameter = 1;
constexpr int kShapeResult = 2;
constexpr int kShapeName = 3;

// Fields of xla.HloComputationProto.
constexpr int kComputationName = 1;
constexpr int kInstructions = 2;
constexpr int kProgramShape = 4;
constexpr int kComputationId = 5;
constexpr int kRootId = 6;

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
  ProtoWriter out;
  int num_parameters = 0;
  for (const ProtoField& field : read_proto(program_shape)) {
    if (field.number == kShapeName) {
      out.bytes(kShapeName, str("p", num_parameters++));
    } else {
      out.raw(field.raw);
    }
  }
  return out.str();
}

/// Renumbers computations and instructions in the order of discovery.
class Cutter {
 public:
  explicit Cutter(const HloModule& module) : module_(module) {}

  std::string cut(const HloComputation& computation, const HloInstruction& instruction) {
    write_called(instruction);
    ProtoWriter entry, shape;
    std::map<std::int64_t, std::int64_t> new_ids;
    std::int64_t num_parameters = 0;
    for (std::int64_t operand : instruction.operands) {
      if (new_ids.contains(operand)) continue;
      const HloInstruction& given = computation.instruction(operand);
      new_ids[operand] = ++last_id_;
      entry.bytes(kInstructions, given.opcode == "constant"
                                     ? rewritten(given, new_ids)
                                     : parameter(given, new_ids[operand], num_parameters));
      if (given.opcode == "constant") continue;
      shape.bytes(kShapeParameter, given.shape);
      shape.bytes(kShapeName, str("p", num_parameters++));
    }
    shape.bytes(kShapeResult, instruction.shape);
    new_ids[instruction.id] = ++last_id_;
    entry.bytes(kInstructions, rewritten(instruction, new_ids));
    const std::int64_t id = ++last_computation_;
    entry.bytes(kComputationName, "entry");
    entry.message(kProgramShape, shape);
    entry.int64(kComputationId, id);
    entry.int64(kRootId, new_ids[instruction.id]);
    return finish(entry, shape, id);
  }

 private:
  /// Returns an xla.HloModuleProto.
  std::string finish(const ProtoWriter& entry, const ProtoWriter& shape, std::int64_t id) const {
    ProtoWriter module;
    module.bytes(1, "cut");
    module.bytes(2, "entry");
    for (const std::string& computation : computations_)
      module.bytes(3, computation);
    module.message(3, entry);
    module.message(4, shape);
    module.int64(6, id);
    return module.str();
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
    ProtoWriter out;
    for (const HloInstruction& instruction : computation.instructions)
      out.bytes(kInstructions, rewritten(instruction, new_ids));
    for (const ProtoField& field : read_proto(computation.raw)) {
      if (field.number == kProgramShape) out.bytes(kProgramShape, renamed(field.bytes));
      if (field.number > kRootId) out.raw(field.raw);
    }
    const std::int64_t id = new_computations_[computation.id] = ++last_computation_;
    out.bytes(kComputationName, str("c", id));
    out.int64(kComputationId, id);
    out.int64(kRootId, new_ids.at(computation.root_id));
    computations_.push_back(out.str());
  }

  std::string rewritten(const HloInstruction& instruction,
                        const std::map<std::int64_t, std::int64_t>& new_ids) const {
    ProtoWriter out;
    for (const ProtoField& field : read_proto(instruction.raw)) {
      constexpr int kDropped[] = {
          kName,     kMetadata,           kId,           kOperands, kControlPredecessors, kCalled,
          kSharding, kFrontendAttributes, kOriginalValue};
      if (std::ranges::find(kDropped, field.number) == std::end(kDropped)) out.raw(field.raw);
    }
    const std::int64_t id = new_ids.at(instruction.id);
    out.bytes(kName, str("i", id));
    out.int64(kId, id);
    if (instruction.opcode == "constant") return out.str();
    for (std::int64_t operand : instruction.operands)
      out.int64(kOperands, new_ids.at(operand));
    for (std::int64_t called : instruction.called)
      out.int64(kCalled, new_computations_.at(called));
    return out.str();
  }

  static std::string parameter(const HloInstruction& given, std::int64_t id, std::int64_t number) {
    ProtoWriter out;
    out.bytes(kName, str("i", id));
    out.bytes(kOpcode, "parameter");
    out.bytes(kShape, given.shape);
    out.int64(kParameterNumber, number);
    out.int64(kId, id);
    return out.str();
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

std::optional<ArrayType> HloInstruction::type() const {
  std::optional<DType> dtype;
  Dims dims;
  for (const ProtoField& field : read_proto(shape)) {
    if (field.number == 2) dtype = find_dtype(field.int64());
    if (field.number == 3) {
      std::vector<std::int64_t> sizes;
      append_integers(field, sizes);
      dims.insert(dims.end(), sizes.begin(), sizes.end());
    }
  }
  if (!dtype) return std::nullopt;
  return ArrayType{*dtype, dims};
}

const HloInstruction& HloComputation::instruction(std::int64_t wanted) const {
  return find_id(instructions, wanted, "instruction");
}

const HloComputation& HloModule::computation(std::int64_t id) const {
  return find_id(computations, id, "computation");
}

HloModule read_hlo_module(std::string_view hlo_with_config) {
  HloModule out;
  for (const ProtoField& outer : read_proto(hlo_with_config)) {
    if (outer.number != 1) continue;
    for (const ProtoField& field : read_proto(outer.bytes)) {
      if (field.number == 3) out.computations.push_back(read_computation(field.bytes));
      if (field.number == 6) out.entry_id = field.int64();
    }
  }
  return out;
}

std::string cut_out(const HloModule& module,
                    const HloComputation& computation,
                    const HloInstruction& instruction) {
  return Cutter(module).cut(computation, instruction);
}

}  // namespace meshwright::pjrt
