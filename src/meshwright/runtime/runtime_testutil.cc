// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/runtime_testutil.h"

#include <cstdint>
#include <functional>
#include <string>

#include "meshwright/base/check.h"

namespace meshwright::runtime {
namespace {

// Just enough of the protocol buffer wire format to visit the text and message fields of a message.
std::uint64_t read_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0; !bytes.empty() && shift < 64; shift += 7) {
    auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  fail(ErrorCode::data_loss, "a varint of the optimized program is cut off");
}

using Visit = std::function<void(std::uint64_t field, std::string_view content)>;

void visit_fields(std::string_view message, const Visit& visit) {
  while (!message.empty()) {
    std::uint64_t key = read_varint(message);
    std::uint64_t size = 0;
    switch (key & 7) {
      case 0:
        read_varint(message);
        break;
      case 1:
        size = 8;
        break;
      case 2:
        size = read_varint(message);
        break;
      case 5:
        size = 4;
        break;
      default:
        fail(ErrorCode::data_loss, "wire type ", key & 7, " in the optimized program");
    }
    MW_CHECK(size <= message.size(), "a field of the optimized program is cut off");
    if ((key & 7) == 2) visit(key >> 3, message.substr(0, size));
    message.remove_prefix(size);
  }
}

}  // namespace

const Client& test_client() {
  static const Client client = open({.num_devices = 8, .cache_folder = {}});
  return client;
}

// The plugin's format is HloModuleProtoWithConfig, whose hlo_module is field 1. In there:
// HloModuleProto.computations = 3, HloComputationProto.instructions = 2,
// HloInstructionProto.opcode = 2.
int count_ops(const Executable& executable, std::string_view opcode) {
  int count = 0;
  std::string start = std::string(opcode) + "-start";
  auto in_instruction = [&](std::uint64_t field, std::string_view text) {
    if (field == 2 && (text == opcode || text == start)) ++count;
  };
  auto in_computation = [&](std::uint64_t field, std::string_view instruction) {
    if (field == 2) visit_fields(instruction, in_instruction);
  };
  auto in_module = [&](std::uint64_t field, std::string_view computation) {
    if (field == 3) visit_fields(computation, in_computation);
  };
  std::string program = executable.optimized_program();
  visit_fields(program, [&](std::uint64_t field, std::string_view module) {
    if (field == 1) visit_fields(module, in_module);
  });
  return count;
}

}  // namespace meshwright::runtime
