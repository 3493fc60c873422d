// SPDX-License-Identifier: Apache-2.0
// Types and attributes in MLIR's text form.
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
/// The text in double quotes, with what MLIR does not print escaped.
std::string mlir_string(std::string_view text);
/// "#sdy.sharding<@mesh, [{"data"}, {}]>" for an array of this rank.
std::string sdy_sharding(const mesh::Sharding& sharding, int rank);
/// "#sdy.sharding_per_value<[...]>" has the same without the "#sdy.sharding" in front.
std::string sdy_sharding_body(const mesh::Sharding& sharding, int rank);
/// The same, where the partitioner may split dimensions further by axes that are not named.
std::string sdy_open_sharding_body(const mesh::Sharding& sharding, int rank);
/// "#sdy<manual_axes{"data"}>".
std::string sdy_manual_axes(const mesh::Mesh& mesh, mesh::AxisSet axes);

}  // namespace meshwright::graph
