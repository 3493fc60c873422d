// SPDX-License-Identifier: Apache-2.0
// An optimized XLA program, parsed as far as needed to list its instructions and to run one of them
// alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/tensor/shape.h"

namespace meshwright::pjrt {

/// Opcodes of collectives.
inline constexpr std::array<std::string_view, 6> kCollectives = {
    "all-reduce", "all-gather",         "reduce-scatter",
    "all-to-all", "collective-permute", "collective-broadcast"};

/// True for the opcode of an operation, and for that of its start if it is asynchronous.
bool begins(std::string_view opcode, std::string_view operation);

struct HloInstruction {
  std::int64_t id = 0;
  std::string opcode;
  std::string target;                  // target of a custom call
  std::string op_name;                 // path of the module in which it was traced, if known
  std::string shape;                   // xla.ShapeProto
  std::string raw;                     // xla.HloInstructionProto
  std::vector<std::int64_t> operands;  // ids in the same computation
  std::vector<std::int64_t> called;    // ids of computations
  std::vector<std::int64_t> summed;    // of a dot: dimensions of the first operand
  std::int64_t trip_count = 1;         // trip count of a loop, if known

  /// Returns nullopt for tuples and for types internal to XLA.
  std::optional<ArrayType> type() const;
  /// Returns the types of all arrays of a result, which may be a tuple of tuples.
  std::vector<ArrayType> types() const;
};

struct HloComputation {
  std::int64_t id = 0;
  std::int64_t root_id = 0;
  std::string raw;                           // xla.HloComputationProto
  std::vector<HloInstruction> instructions;  // in the order of the schedule, if there is one

  const HloInstruction& instruction(std::int64_t id) const;
};

struct HloModule {
  std::int64_t entry_id = 0;
  std::vector<HloComputation> computations;

  const HloComputation& computation(std::int64_t id) const;
};

/// Parses the code of Executable::optimized_program in the format "hlo_with_config". Throws
/// data_loss if it is malformed.
HloModule read_hlo_module(std::string_view hlo_with_config);

/// Returns a program in the format "hlo" that runs one instruction, with its operands as
/// parameters. It contains no source locations, so equal instructions yield equal programs.
std::string cut_out(const HloModule& module,
                    const HloComputation& computation,
                    const HloInstruction& instruction);

}  // namespace meshwright::pjrt
