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

/// Arguments without names, and the text of a program with one result.
class TracedTest : public testing::Test {
 protected:
  Value arg(DType dtype, Dims dims) { return tracer.argument({dtype, std::move(dims)}); }
  std::string text(Value result) { return write_stablehlo(tracer.finish({result})); }

  Tracer tracer;
};

/// The program that computes `body` of arguments of these types, as StableHLO.
inline std::string text_of(const std::vector<ArrayType>& arg_types, const Tracer::Body& body) {
  return write_stablehlo(trace(arg_types, body));
}

}  // namespace meshwright::graph
