// SPDX-License-Identifier: Apache-2.0
// A loop with a known number of iterations, which has a gradient.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

struct ScanAttrs {
  int num_carry = 0;
  int num_xs = 0;
  std::int64_t length = 0;
  bool reverse = false;
  std::int64_t unroll = 1;
};
/// Operands: carry, xs, values from outside. attrs: ScanAttrs. Regions: one step, from carry,
/// slices of xs and values from outside to the next carry and the slices of ys. Results: carry, ys.
extern const OpDef kScan;

inline constexpr std::array kScanOps = {&kScan};

/// The results of one step: the next carry, with the types of the current one, and a slice of each
/// stacked result.
struct ScanStep {
  std::vector<Value> carry;
  std::vector<Value> ys;
};
/// Gets the carry and a slice of each of xs, without its first dimension.
using ScanBody = std::function<ScanStep(std::span<const Value> carry, std::span<const Value> xs)>;

struct ScanOptions {
  /// The number of steps; needed only where there are no xs.
  std::optional<std::int64_t> length = {};
  /// From the last slice to the first.
  bool reverse = false;
  /// Steps written one after the other in each iteration; must divide the length. The length
  /// itself: no loop is left.
  std::int64_t unroll = 1;
};

/// The carry after the last step, and ys with the steps as a new first dimension; in a reverse scan
/// too, ys[i] belongs to xs[i]. The body may use values from outside, which stay the same over all
/// steps. It is traced once, or again where its results vary over more mesh axes than the carry.
struct ScanResult {
  std::vector<Value> carry;
  std::vector<Value> ys;
};
ScanResult scan(std::span<const Value> init,
                std::span<const Value> xs,
                const ScanBody& body,
                ScanOptions options = {},
                SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
