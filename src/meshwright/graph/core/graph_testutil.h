// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {

/// Traces a program with unnamed arguments and writes it as text.
class TracedTest : public testing::Test {
 protected:
  Value arg(DType dtype, Dims dims) { return tracer.argument({dtype, std::move(dims)}); }
  std::string text(Value result) { return write_stablehlo(tracer.finish({result})); }

  Tracer tracer;
};

/// Returns the StableHLO text of the program that applies `body` to arguments of these types.
inline std::string text_of(const std::vector<ArrayType>& arg_types, const Tracer::Body& body) {
  return write_stablehlo(trace(arg_types, body));
}

}  // namespace meshwright::graph
