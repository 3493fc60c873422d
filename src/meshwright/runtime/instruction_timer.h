// SPDX-License-Identifier: Apache-2.0
// Internal to runtime/.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/runtime/client_state.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::runtime {

/// Times small programs on the first device.
class InstructionTimer {
 public:
  explicit InstructionTimer(const ClientState& client);

  /// Returns the time of one execution of a program in the format of pjrt::cut_out, minus the time
  /// of an empty program; nullopt if the plugin rejects the program.
  std::optional<double> seconds(const std::string& program, const std::vector<ArrayType>& inputs);

 private:
  double run(const pjrt::LoadedExecutable& loaded, const std::vector<ArrayType>& inputs);
  const pjrt::Buffer& values(const ArrayType& type, std::size_t number);

  const ClientState& client_;
  const pjrt::Device& device_;
  std::map<std::string, std::vector<pjrt::Buffer>> buffers_;  // keyed by type
  double overhead_ = 0;
};

}  // namespace meshwright::runtime
