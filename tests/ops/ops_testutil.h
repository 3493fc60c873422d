// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::graph {

/// Traces `body` for these arguments and runs it on one device of the test client.
std::vector<HostTensor> evaluate(const Tracer::Body& body, const std::vector<HostTensor>& args);

}  // namespace meshwright::graph
