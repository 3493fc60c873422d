// SPDX-License-Identifier: Apache-2.0
// The time of a step on machines that need not exist, from their data sheets.
#pragma once

#include <cstdint>
#include <vector>

#include "meshwright/estimate/traffic.h"
#include "meshwright/mesh/mesh.h"

namespace meshwright::estimate {

/// One device and its links, as in data sheets.
struct Machine {
  double flops = 0;  // of dense products in bf16, per second
  double memory_bytes_per_second = 0;
  double near_bytes_per_second = 0;  // received over the fast links
  double far_bytes_per_second = 0;   // received over the network
  std::int64_t num_near = 1;         // devices that fast links connect
};

/// Seconds.
struct StepTime {
  double products = 0;
  double memory = 0;
  double links = 0;

  /// Collectives run while products do, and wait for nothing else; the rest is exposed.
  double total() const;
};

/// The shares of the data sheets' figures that programs are taken to reach.
inline constexpr double kProductShare = 0.7, kMemoryShare = 0.8, kLinkShare = 0.7;

/// `flops` and `moved_bytes` are those of one device.
StepTime step_time(const Machine& machine,
                   const mesh::Mesh& mesh,
                   double flops,
                   double moved_bytes,
                   const std::vector<Traffic>& traffic);

}  // namespace meshwright::estimate
