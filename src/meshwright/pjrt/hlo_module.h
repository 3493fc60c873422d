// SPDX-License-Identifier: Apache-2.0
// An optimized program of XLA, as far as it takes to know its instructions and to run one of them
// alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/tensor/shape.h"

namespace meshwright::pjrt {

struct HloInstruction {
  std::int64_t id = 0;
  std::string opcode;
  std::string target;                  // of a custom call
  std::string op_name;                 // the path of modules it was traced in, if that is known
  std::string shape;                   // xla.ShapeProto
  std::string raw;                     // xla.HloInstructionProto
  std::vector<std::int64_t> operands;  // ids in the same computation
  std::vector<std::int64_t> called;    // ids of computations
  std::int64_t trip_count = 1;         // of a loop, if it is known

  /// Absent for tuples and what a program keeps to itself.
  std::optional<ArrayType> type() const;
};

struct HloComputation {
  std::int64_t id = 0;
  std::int64_t root_id = 0;
  std::string raw;  // xla.HloComputationProto
  std::vector<HloInstruction> instructions;

  const HloInstruction& instruction(std::int64_t id) const;
};

struct HloModule {
  std::int64_t entry_id = 0;
  std::vector<HloComputation> computations;

  const HloComputation& computation(std::int64_t id) const;
};

/// Of the code of Executable::optimized_program in the format "hlo_with_config". Throws data_loss
/// if it is none.
HloModule read_hlo_module(std::string_view hlo_with_config);

/// A program, in the format "hlo", whose parameters are the operands of an instruction and whose
/// result is its result. Nothing in it tells where it comes from, so equal instructions have equal
/// programs.
std::string cut_out(const HloModule& module,
                    const HloComputation& computation,
                    const HloInstruction& instruction);

}  // namespace meshwright::pjrt
