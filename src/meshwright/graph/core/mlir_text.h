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

/// Returns text such as "tensor<8x128xbf16>".
std::string mlir_type(const ArrayType& type);
/// Returns text such as "array<i64: 1, 2>".
std::string mlir_array(std::span<const std::int64_t> values);
/// Quotes and escapes a string.
std::string mlir_string(std::string_view text);
/// Returns the sharding of an array of this rank, such as "#sdy.sharding<@mesh, [{"data"}, {}]>".
std::string sdy_sharding(const mesh::Sharding& sharding, int rank);
/// Like sdy_sharding(), but without the leading "#sdy.sharding", for use in
/// "#sdy.sharding_per_value<[...]>".
std::string sdy_sharding_body(const mesh::Sharding& sharding, int rank);
/// Like sdy_sharding_body(), but lets the partitioner split dimensions over additional axes.
std::string sdy_open_sharding_body(const mesh::Sharding& sharding, int rank);
/// Returns text such as "#sdy<manual_axes{"data"}>".
std::string sdy_manual_axes(const mesh::Mesh& mesh, mesh::AxisSet axes);

}  // namespace meshwright::graph
