// SPDX-License-Identifier: Apache-2.0
// The operands that the ops of attention share. Internal to kernels/attention.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "meshwright/graph/core/node.h"
#include "meshwright/graph/core/op_def.h"
#include "meshwright/kernels/attention/attention.h"

namespace meshwright::kernels {

/// Names of the dimensions of queries, of keys, of the bias and of the logarithms of sums.
inline constexpr const char* kQueryAxes = "batch len kv q dim";
inline constexpr const char* kKeyAxes = "batch src kv dim";
inline constexpr const char* kBiasAxes = "kv q len src";
inline constexpr const char* kDistanceBiasAxes = "kv q distance";
inline constexpr const char* kLogSumAxes = "batch kv q len";

/// Returns the dimensions of the logarithms of sums for queries of these dimensions.
inline Dims dims_of_log_sums(const Dims& q) {
  return {q[0], q[2], q[3], q[1]};
}

/// Checks q, k, v and the operands from `first_extra` on, which are optional: a mask (pred), the
/// lengths of prefixes and segments (s32), the words of a key (u32) and a bias. Operands in between
/// are checked by the caller. `by_blocks`: dimensions of the mask may be 1, and the bias may be by
/// distance.
void check_attention(const graph::Node& node, int first_extra, bool by_blocks = false);

/// Returns the options of a node, given its operands, of which those from `first_extra` on are
/// optional.
AttentionOptions options_of(const graph::Node& node,
                            std::span<const graph::Value> operands,
                            std::size_t first_extra);

/// Return the attributes and the operands of kAttention.
AttentionAttrs attrs_of(const AttentionOptions& options);
std::vector<graph::Value> attention_operands(graph::Value q,
                                             graph::Value k,
                                             graph::Value v,
                                             const AttentionOptions& options);

/// True if the last of the optional operands is a bias.
bool has_bias(const graph::Node& node, int first_extra);

/// Returns the axes of the results of a gradient.
std::vector<std::string> gradient_axes(const graph::Node& node, int first_extra);

/// Returns why attention with the operands of kAttention should be traced as plain ops: its types
/// or its sizes. `op` is a candidate, whose mask and bias may have shapes and dtypes that are
/// invalid in nodes.
std::string obstacle_of_attention(const graph::Node& op);

/// Returns the axes of an op with these operands before the optional ones.
graph::KernelAxes axes_of_attention(const graph::Node& node,
                                    std::vector<std::string> operands,
                                    std::vector<std::string> results);

}  // namespace meshwright::kernels
