// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/graph/tracer.h"
#include "meshwright/graph/writer.h"

namespace meshwright::graph {

/// The message of the Error that the action throws; "no error" if it throws none.
inline std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

/// The program that computes `body` of arguments of these types, as StableHLO.
inline std::string text_of(const std::vector<ArrayType>& arg_types, const Tracer::Body& body) {
  return write_stablehlo(trace(arg_types, body));
}

}  // namespace meshwright::graph
