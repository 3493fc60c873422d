// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/op_times.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "meshwright/base/check.h"
#include "meshwright/pjrt/hlo_module.h"
#include "meshwright/runtime/executable_state.h"
#include "meshwright/runtime/instruction_timer.h"

namespace meshwright::runtime {
namespace {

using pjrt::HloComputation;
using pjrt::HloInstruction;
using pjrt::HloModule;

// Maximum number of operations in the name of a fusion.
constexpr std::size_t kMaxNames = 4;

bool is_any_of(std::string_view opcode, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, opcode) != names.end();
}

/// True for instructions without a cost.
bool is_free(std::string_view opcode) {
  return is_any_of(opcode, {"parameter", "constant", "tuple", "get-tuple-element", "bitcast",
                            "after-all", "partition-id", "replica-id", "opt-barrier"});
}

bool is_collective(std::string_view opcode) {
  return std::ranges::any_of(pjrt::kCollectives,
                             [&](std::string_view name) { return opcode.starts_with(name); });
}

void count_names(const HloModule& module,
                 const HloInstruction& instruction,
                 std::map<std::string, int>& counts) {
  for (std::int64_t id : instruction.called) {
    for (const HloInstruction& part : module.computation(id).instructions) {
      if (part.opcode == "fusion" || part.opcode == "call") count_names(module, part, counts);
      if (!is_free(part.opcode) && !is_any_of(part.opcode, {"broadcast", "fusion", "call"}))
        ++counts[part.opcode];
    }
  }
}

/// Returns the opcode. For an instruction that wraps others, returns their opcodes, most frequent
/// first.
std::string name_of(const HloModule& module, const HloInstruction& instruction) {
  if (instruction.opcode == "custom-call") return instruction.target;
  if (!is_any_of(instruction.opcode, {"fusion", "call"})) return instruction.opcode;
  std::map<std::string, int> counts;
  count_names(module, instruction, counts);
  std::vector<std::pair<std::string, int>> names(counts.begin(), counts.end());
  std::ranges::stable_sort(names, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out;
  for (std::size_t i = 0; i < std::min(kMaxNames, names.size()); ++i)
    out += (i == 0 ? "" : ", ") + names[i].first;
  return names.size() > kMaxNames ? out + ", ..." : out;
}

/// Returns the types of the operands; nullopt if one is not an array.
std::optional<std::vector<ArrayType>> operand_types(const HloComputation& computation,
                                                    const HloInstruction& instruction) {
  std::vector<ArrayType> out;
  for (std::int64_t id : instruction.operands) {
    const std::optional<ArrayType> type = computation.instruction(id).type();
    if (!type) return std::nullopt;
    out.push_back(*type);
  }
  return out;
}

/// Returns the types of the parameters that pjrt::cut_out makes: distinct operands except
/// constants.
std::vector<ArrayType> parameter_types(const HloComputation& computation,
                                       const HloInstruction& instruction) {
  std::vector<ArrayType> out;
  std::set<std::int64_t> seen;
  for (std::int64_t id : instruction.operands) {
    const HloInstruction& operand = computation.instruction(id);
    if (operand.opcode != "constant" && seen.insert(id).second) out.push_back(*operand.type());
  }
  return out;
}

/// Collects instructions by their programs, so that equal ones are timed once.
class Collector {
 public:
  Collector(const HloModule& module, ClientState& client)
      : module_(module), kernels_(client.kernels()), timer_(client) {}

  void add(const HloComputation& computation, std::int64_t times) {
    for (const HloInstruction& instruction : computation.instructions) {
      if (is_free(instruction.opcode)) continue;
      if (is_any_of(instruction.opcode, {"while", "conditional"})) {
        // Counts a conditional as if it took every branch.
        for (std::int64_t id : instruction.called)
          add(module_.computation(id), times * instruction.trip_count);
      } else {
        add_op(computation, instruction, times);
      }
    }
  }

  OpTimes take() { return std::move(out_); }

 private:
  void add_op(const HloComputation& computation,
              const HloInstruction& instruction,
              std::int64_t times) {
    std::string program = pjrt::cut_out(module_, computation, instruction);
    auto [place, is_new] = places_.try_emplace(std::move(program));
    if (is_new) place->second = begin_op(computation, instruction, place->first);
    OpTime& op = (out_.*place->second.list)[place->second.at];
    op.count += times;
    if (!instruction.op_name.empty()) op.where.push_back(instruction.op_name);
  }

  struct Place {
    std::vector<OpTime> OpTimes::*list = nullptr;
    std::size_t at = 0;
  };

  Place begin_op(const HloComputation& computation,
                 const HloInstruction& instruction,
                 const std::string& program) {
    OpTime op{.what = name_of(module_, instruction)};
    if (auto type = instruction.type()) op.type = str(*type);
    const auto inputs = operand_types(computation, instruction);
    if (inputs) op.inputs = *inputs;
    std::vector<OpTime> OpTimes::*list = &OpTimes::untimed;
    if (instruction.opcode == "custom-call" && kernels_.contains(instruction.target)) {
      list = &OpTimes::kernels;
    } else if (inputs && !is_collective(instruction.opcode)) {
      const auto parameters = parameter_types(computation, instruction);
      if (const auto seconds = timer_.seconds(program, parameters)) {
        op.seconds = *seconds;
        list = &OpTimes::ops;
      }
    }
    (out_.*list).push_back(std::move(op));
    return {list, (out_.*list).size() - 1};
  }

  const HloModule& module_;
  const std::map<std::string, int> kernels_;
  InstructionTimer timer_;
  std::map<std::string, Place> places_;
  OpTimes out_;
};

}  // namespace

OpTimes time_ops(const Executable& executable) {
  const HloModule module = pjrt::read_hlo_module(executable.optimized_program());
  Collector collector(module, *executable.state_->client);
  collector.add(module.computation(module.entry_id), 1);
  return collector.take();
}

}  // namespace meshwright::runtime
