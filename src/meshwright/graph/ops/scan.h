// SPDX-License-Identifier: Apache-2.0
// A differentiable loop with a fixed number of steps.
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
/// Operands: the carry, xs and outer values. attrs: ScanAttrs. Region: one step, which maps the
/// carry, slices of xs and outer values to the next carry and slices of ys. Results: the carry and
/// ys.
extern const OpDef kScan;

inline constexpr std::array kScanOps = {&kScan};

/// The results of one step: the next carry, which has the same types as the current one, and a
/// slice of each stacked result.
struct ScanStep {
  std::vector<Value> carry;
  std::vector<Value> ys;
};
/// Computes one step from the carry and a slice of each array in xs. The slices are taken along the
/// first dimension and do not have that dimension.
using ScanBody = std::function<ScanStep(std::span<const Value> carry, std::span<const Value> xs)>;

struct ScanOptions {
  /// The number of steps. Required only if xs is empty.
  std::optional<std::int64_t> length = {};
  /// Runs from the last slice to the first.
  bool reverse = false;
  /// The number of steps per iteration of the loop; must divide the length. If it equals the
  /// length, there is no loop.
  std::int64_t unroll = 1;
};

/// The carry after the last step, and ys stacked along a new first dimension. ys[i] belongs to
/// xs[i], even in a reverse scan.
struct ScanResult {
  std::vector<Value> carry;
  std::vector<Value> ys;
};
/// Applies `body` to each slice of xs in turn, starting with `init`. The body may use outer values,
/// which are the same in all steps. It is traced once, and again if its results vary over more mesh
/// axes than the carry.
ScanResult scan(std::span<const Value> init,
                std::span<const Value> xs,
                const ScanBody& body,
                ScanOptions options = {},
                SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
