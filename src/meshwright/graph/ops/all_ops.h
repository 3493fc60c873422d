// SPDX-License-Identifier: Apache-2.0
// The list of all ops, for tests that check each of them.
#pragma once

#include <array>
#include <cstddef>

#include "meshwright/graph/ops/barrier.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/cond.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/ops/convolution.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/custom_gradient.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/gradient.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/ops/memory_move.h"
#include "meshwright/graph/ops/random_bits.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/remat.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/graph/ops/scatter.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/ops/sort.h"
#include "meshwright/graph/ops/while.h"
#include "meshwright/graph/ops/window.h"

namespace meshwright::graph {

template <std::size_t... sizes>
constexpr auto joined(const std::array<const OpDef*, sizes>&... families) {
  std::array<const OpDef*, (sizes + ...)> all{};
  std::size_t next = 0;
  auto append = [&](const auto& family) {
    for (const OpDef* op : family)
      all[next++] = op;
  };
  (append(families), ...);
  return all;
}

inline constexpr auto kAllOps = joined(kBasicOps,
                                       kBarrierOps,
                                       kCollectiveOps,
                                       kCondOps,
                                       kConvolutionOps,
                                       kCustomCallOps,
                                       kCustomGradientOps,
                                       kConstrainOps,
                                       kDotOps,
                                       kElementwiseOps,
                                       kGatherOps,
                                       kGradientOps,
                                       kRandomBitsOps,
                                       kManualOps,
                                       kMemoryMoveOps,
                                       kReduceOps,
                                       kRematOps,
                                       kScanOps,
                                       kScatterOps,
                                       kShapeOps,
                                       kSliceOps,
                                       kSortOps,
                                       kWhileOps,
                                       kWindowOps);

}  // namespace meshwright::graph
