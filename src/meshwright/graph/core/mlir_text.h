// SPDX-License-Identifier: Apache-2.0
// Types and attributes as MLIR text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "meshwright/mesh/mesh.h"
#include "meshwright/mesh/sharding.h"
#include "meshwright/tensor/shape.h"

namespace meshwright::graph {

/// "tensor<8x128xbf16>".
std::string mlir_type(const ArrayType& type);
/// "array<i64: 1, 2>".
std::string mlir_array(std::span<const std::int64_t> values);
/// Quotes and escapes a string.
std::string mlir_string(std::string_view text);
/// "#sdy.sharding<@mesh, [{"data"}, {}]>" for an array of this rank.
std::string sdy_sharding(const mesh::Sharding& sharding, int rank);
/// sdy_sharding() without the leading "#sdy.sharding", for use in "#sdy.sharding_per_value<[...]>".
std::string sdy_sharding_body(const mesh::Sharding& sharding, int rank);
/// Like sdy_sharding_body(), but lets the partitioner split dimensions over additional axes.
std::string sdy_open_sharding_body(const mesh::Sharding& sharding, int rank);
/// "#sdy<manual_axes{"data"}>".
std::string sdy_manual_axes(const mesh::Mesh& mesh, mesh::AxisSet axes);

}  // namespace meshwright::graph
