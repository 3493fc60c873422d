// SPDX-License-Identifier: Apache-2.0
#include "ops_testutil.h"

#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::graph {

std::vector<HostTensor> evaluate(const Tracer::Body& body, const std::vector<HostTensor>& args) {
  std::vector<ArrayType> types;
  for (const HostTensor& arg : args)
    types.push_back(arg.type());
  return runtime::run(runtime::test_client().compile(trace(types, body)), args);
}

}  // namespace meshwright::graph
