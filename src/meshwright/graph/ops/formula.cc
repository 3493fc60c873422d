// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/formula.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/contraction.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/shard_type.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

using DimSpecs = std::vector<mesh::DimSpec>;

// One use of a formula: checks its operands and result, and throws its errors.
struct Use {
  std::string_view op;
  const mesh::ShardFormula& formula;
  SourceLoc loc;

  template <typename... Parts>
  [[noreturn]] void reject(const Parts&... parts) const {
    fail(ErrorCode::invalid_argument, op, ": ", parts..., " in '", formula, "'", origin(loc));
  }

  std::vector<mesh::ShardSpec> inputs(std::initializer_list<Value> operands) const {
    std::vector<mesh::ShardSpec> specs = formula.inputs();
    if (specs.size() != operands.size()) {
      reject(specs.size(), " inputs for ", operands.size(), " operands");
    }
    for (std::size_t i = 0; i < specs.size(); ++i)
      check_type(op, operands.begin()[i], specs[i], loc);
    return specs;
  }

  Value checked(Value result) const {
    check_type(op, result, formula.output(), loc);
    return result;
  }
};

// Returns, per dimension, the mesh axes that `more` has after those of `less`.
std::vector<MeshAxes> added_axes(const Use& use,
                                 const mesh::ShardSpec& less,
                                 const mesh::ShardSpec& more) {
  DimSpecs few = less.dims(), many = more.dims();
  if (few.size() != many.size()) {
    use.reject("one side has ", few.size(), " dimensions, the other ", many.size());
  }
  std::vector<MeshAxes> added;
  for (std::size_t i = 0; i < few.size(); ++i) {
    auto [kept, rest] = std::ranges::mismatch(few[i].mesh_axes, many[i].mesh_axes);
    if (few[i].name != many[i].name || kept != few[i].mesh_axes.end()) {
      use.reject("dimension ", i, " cannot be '", many[i], "' on one side and '", few[i],
                 "' on the other: mesh axes can be added or removed only at the end");
    }
    added.emplace_back(rest, many[i].mesh_axes.end());
  }
  return added;
}

std::size_t position(const DimSpecs& dims, std::string_view name) {
  auto found = std::ranges::find(dims, name, &mesh::DimSpec::name);
  return static_cast<std::size_t>(found - dims.begin());
}

bool has(const DimSpecs& dims, std::string_view name) {
  return position(dims, name) < dims.size();
}

// Numbers the axis names of a formula. Throws if a name is not split in the same way everywhere.
class UseLabels {
 public:
  explicit UseLabels(const Use& use) : use_(use) {}

  std::vector<int> of(const mesh::ShardSpec& spec) {
    std::vector<int> labels;
    for (const mesh::DimSpec& dim : spec.dims()) {
      labels.push_back(label(dim));
      if (std::ranges::count(labels, labels.back()) > 1) {
        use_.reject("axis '", dim.name, "' appears twice in '", spec, "'");
      }
    }
    return labels;
  }

  std::vector<int> of_output() {
    std::size_t num_known = known_.size();
    std::vector<int> labels = of(use_.formula.output());
    if (known_.size() > num_known) {
      use_.reject("axis '", known_[num_known].name, "' of the result is in no input");
    }
    return labels;
  }

 private:
  int label(const mesh::DimSpec& dim) {
    std::size_t at = position(known_, dim.name);
    if (at == known_.size()) known_.push_back(dim);
    if (known_[at] != dim) {
      use_.reject("axis '", dim.name, "' is written as both '", known_[at], "' and '", dim,
                  "'; all_gather or split one of them,");
    }
    return static_cast<int>(at);
  }

  const Use& use_;
  DimSpecs known_;
};

// Throws for an axis that is summed away although only one input has it: its name is most likely
// misspelt in the other.
void check_summed_axes(const Use& use,
                       std::initializer_list<std::span<const int>> inputs,
                       std::span<const int> out) {
  std::size_t number = 0;
  for (std::span<const int> labels : inputs) {
    const std::span<const int> other = inputs.begin()[1 - number];
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto is_it = [&](int label) { return label == labels[i]; };
      if (std::ranges::any_of(other, is_it) || std::ranges::any_of(out, is_it)) continue;
      use.reject("axis '", use.formula.inputs()[number].dims()[i].name,
                 "' is in only one input and not in the result");
    }
    ++number;
  }
}

// Returns the position in the table of the looked-up dimension, which is the one that the result
// lacks.
std::size_t looked_up(const Use& use, const DimSpecs& table) {
  DimSpecs out = use.formula.output().dims();
  std::size_t found = table.size();
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (has(out, table[i].name)) continue;
    if (found != table.size()) {
      use.reject("the result lacks '", table[found], "' and '", table[i],
                 "' of the table; it must lack only the dimension that is looked up,");
    }
    found = i;
  }
  if (found == table.size()) {
    use.reject(
        "the result has all dimensions of the table; it must lack the one that is looked up,");
  }
  return found;
}

// Returns indices into this device's shard of the table. Indices into other shards become `size`,
// which is out of bounds.
Value local_indices(Value indices, std::int64_t size, const mesh::DimSpec& dim, SourceLoc loc) {
  indices = cast(indices, s32);
  if (!dim.mesh_axes.empty()) {
    MeshAxes axes(dim.mesh_axes.begin(), dim.mesh_axes.end());
    indices = indices - axis_index(axes, loc) * size;
  }
  return where(logical_and(indices >= 0, indices < size), indices, size);
}

// Returns the permutation that reorders the dimensions of `from` as in `to`.
Dims permutation(const DimSpecs& from, const DimSpecs& to) {
  Dims out;
  for (const mesh::DimSpec& dim : to)
    out.push_back(static_cast<std::int64_t>(position(from, dim.name)));
  return out;
}

}  // namespace

Value all_gather(mesh::ShardFormula formula, Value x, SourceLoc loc) {
  Use use{"all_gather", formula, loc};
  mesh::ShardSpec before = use.inputs({x})[0];
  std::vector<MeshAxes> gathered = added_axes(use, formula.output(), before);
  for (std::size_t i = 0; i < gathered.size(); ++i) {
    if (!gathered[i].empty()) x = all_gather(x, static_cast<std::int64_t>(i), gathered[i], loc);
  }
  return use.checked(x);
}

Value reduce_scatter(mesh::ShardFormula formula, Value x, SourceLoc loc) {
  Use use{"reduce_scatter", formula, loc};
  mesh::ShardSpec before = use.inputs({x})[0];
  std::vector<MeshAxes> summed = added_axes(use, before, formula.output());
  for (std::size_t i = 0; i < summed.size(); ++i) {
    if (!summed[i].empty()) x = reduce_scatter(x, static_cast<std::int64_t>(i), summed[i], loc);
  }
  return use.checked(x);
}

Value einsum_unreduced(
    mesh::ShardFormula formula, Value x, Value y, const DotOptions& options, SourceLoc loc) {
  CallScope call(loc);
  Use use{"einsum_unreduced", formula, loc};
  std::vector<mesh::ShardSpec> specs = use.inputs({x, y});
  if (x.dtype() != y.dtype()) use.reject("dtypes differ: ", x, " and ", y);
  UseLabels labels(use);
  Labelled lhs{x, labels.of(specs[0])}, rhs{y, labels.of(specs[1])};
  std::vector<int> out = labels.of_output();
  check_summed_axes(use, {lhs.labels, rhs.labels}, out);
  return use.checked(contraction(std::move(lhs), std::move(rhs), out, options, loc));
}

Value index_unreduced(mesh::ShardFormula formula, Value table, Value indices, SourceLoc loc) {
  CallScope call(loc);
  Use use{"index_unreduced", formula, loc};
  std::vector<mesh::ShardSpec> specs = use.inputs({table, indices});
  if (!is_integer(indices.dtype())) use.reject("expects integer indices, got ", indices);
  UseLabels labels(use);
  labels.of(specs[0]);
  labels.of(specs[1]);
  labels.of_output();
  DimSpecs rows = specs[0].dims(), places = specs[1].dims(), out = formula.output().dims();
  std::size_t at = looked_up(use, rows);
  if (has(places, rows[at].name)) use.reject("the indices have the axis that is looked up");

  IndexDims dims{.collapsed_slice_dims = {static_cast<std::int64_t>(at)},
                 .start_index_map = {static_cast<std::int64_t>(at)},
                 .index_vector_dim = indices.rank()};
  Dims window = table.dims();
  DimSpecs result = places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    bool shared = has(places, rows[i].name);
    if (shared || i == at) window[i] = 1;
    if (shared) {
      dims.operand_batching_dims.push_back(static_cast<std::int64_t>(i));
      dims.start_indices_batching_dims.push_back(
          static_cast<std::int64_t>(position(places, rows[i].name)));
    } else if (i != at) {
      dims.offset_dims.push_back(std::ssize(result));
      result.push_back(rows[i]);
    }
  }
  if (result.size() != out.size()) use.reject("the result lacks an axis of the indices");
  Value local = local_indices(indices, table.dims()[at], rows[at], loc);
  Value found = gather(table, local, dims, window, {.fill_value = 0}, loc);
  return use.checked(transpose(found, permutation(result, out), loc));
}

}  // namespace meshwright::graph
