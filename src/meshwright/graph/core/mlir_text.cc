// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/core/mlir_text.h"

#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/mesh/device_groups.h"

namespace meshwright::graph {
namespace {

std::string sharding_text(const mesh::Sharding& sharding, int rank, bool open) {
  MW_CHECK(std::ssize(sharding.dims) <= rank, "sharding ", sharding,
           " has more entries than the array's ", rank, " dimensions");
  static const std::vector<std::string> kWhole;
  std::string out = "<@mesh, [";
  for (std::size_t i = 0; i < static_cast<std::size_t>(rank); ++i) {
    std::string axes;
    for (const std::string& axis : i < sharding.dims.size() ? sharding.dims[i] : kWhole)
      axes += str(axes.empty() ? "" : ", ", mlir_string(axis));
    if (open) axes += axes.empty() ? "?" : ", ?";
    out += str(i > 0 ? ", " : "", "{", axes, "}");
  }
  return out + "]>";
}

}  // namespace

std::string mlir_type(const ArrayType& type) {
  std::string out = "tensor<";
  for (std::int64_t dim : type.dims)
    out += str(dim, "x");
  out += stablehlo_name(type.dtype);
  return out + ">";
}

std::string mlir_array(std::span<const std::int64_t> values) {
  if (values.empty()) return "array<i64>";
  return str("array<i64: ", join(values, ", "), ">");
}

std::string mlir_string(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out = "\"";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte > 0x7e) {
      out += '\\';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string sdy_sharding_body(const mesh::Sharding& sharding, int rank) {
  return sharding_text(sharding, rank, false);
}

std::string sdy_open_sharding_body(const mesh::Sharding& sharding, int rank) {
  return sharding_text(sharding, rank, true);
}

std::string sdy_manual_axes(const mesh::Mesh& mesh, mesh::AxisSet axes) {
  std::string names;
  for (int axis : mesh::positions(axes)) {
    const std::string& name = mesh.axes()[static_cast<std::size_t>(axis)].name;
    names += str(names.empty() ? "" : ", ", mlir_string(name));
  }
  return str("#sdy<manual_axes{", names, "}>");
}

std::string sdy_sharding(const mesh::Sharding& sharding, int rank) {
  return "#sdy.sharding" + sdy_sharding_body(sharding, rank);
}

}  // namespace meshwright::graph
