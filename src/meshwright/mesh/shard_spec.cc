// SPDX-License-Identifier: Apache-2.0
#include "meshwright/mesh/shard_spec.h"

#include <charconv>

#include "meshwright/base/check.h"

namespace meshwright::mesh {
namespace {

DimSpec parse_dim(std::string_view text) {
  DimSpec out{.name = axis_spec::cut(text, "/")};
  while (!text.empty())
    out.mesh_axes.push_back(axis_spec::cut(text, "/"));
  return out;
}

// The grammar throws the violated rule as a string literal, so that the compiler can show it.
void checked(std::string_view text, void (*check)(std::string_view)) {
  try {
    check(text);
  } catch (const char* rule) {
    fail(ErrorCode::invalid_argument, "'", text, "': ", rule);
  }
}

}  // namespace

std::optional<std::int64_t> DimSpec::size() const {
  if (!shard_spec::is_number(name)) return std::nullopt;
  std::int64_t out = 0;
  std::from_chars(name.data(), name.data() + name.size(), out);
  return out;
}

std::string to_string(const DimSpec& dim) {
  std::string out(dim.name);
  for (std::string_view axis : dim.mesh_axes)
    out += str("/", axis);
  return out;
}

ShardSpec ShardSpec::parse(std::string_view text) {
  text = axis_spec::trimmed(text);
  checked(text, shard_spec::check_array);
  return ShardSpec(Checked{text});
}

std::vector<DimSpec> ShardSpec::dims() const {
  std::vector<DimSpec> out;
  for (std::string_view rest = text_; !rest.empty();)
    out.push_back(parse_dim(axis_spec::cut(rest, " ")));
  return out;
}

Sharding ShardSpec::sharding() const {
  Sharding out;
  for (const DimSpec& dim : dims())
    out.dims.emplace_back(dim.mesh_axes.begin(), dim.mesh_axes.end());
  return out;
}

ShardFormula ShardFormula::parse(std::string_view text) {
  checked(text, shard_spec::check_formula);
  return ShardFormula(ShardSpec::Checked{text});
}

std::vector<ShardSpec> ShardFormula::inputs() const {
  std::string_view rest = text_;
  std::string_view all = axis_spec::cut(rest, "->");
  std::vector<ShardSpec> out;
  for (bool more = true; more;) {
    more = all.find(',') != all.npos;
    out.push_back(ShardSpec(ShardSpec::Checked{axis_spec::cut(all, ",")}));
  }
  return out;
}

ShardSpec ShardFormula::output() const {
  std::string_view rest = text_;
  axis_spec::cut(rest, "->");
  return ShardSpec(ShardSpec::Checked{rest});
}

bool is_fully_sharded(const Mesh& mesh, const Sharding& sharding) {
  AxisSet used = check_sharding(mesh, sharding);
  for (int i = 0; i < std::ssize(mesh.axes()); ++i) {
    if (!used.contains(i)) return false;
  }
  return true;
}

}  // namespace meshwright::mesh
