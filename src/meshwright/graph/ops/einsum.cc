// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/einsum.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "meshwright/graph/ops/contraction.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

struct Axis {
  std::string_view name;
  std::int64_t size = 0;
  std::size_t operand = 0;  // where the name first appears
};

// The axis names of one einsum, numbered in order of appearance.
class Axes {
 public:
  Axes(std::span<const Value> operands, SourceLoc loc) : operands_(operands), loc_(loc) {}

  std::vector<int> bind(const AxisSpec& spec, std::size_t operand) {
    std::vector<std::string_view> names = spec.names();
    const Dims& dims = operands_[operand].dims();
    if (names.size() != dims.size()) {
      reject(what(operand), " has ", dims.size(), " dimensions but the spec names ", names.size(),
             ": '", spec, "'");
    }
    std::vector<int> labels;
    for (std::size_t i = 0; i < names.size(); ++i)
      labels.push_back(bind(names[i], dims[i], operand));
    return labels;
  }

  std::vector<int> labels(const AxisSpec& spec) const {
    std::vector<int> out;
    for (std::string_view name : spec.names())
      out.push_back(find(name));
    return out;
  }

  std::int64_t size(int label) const { return axes_[static_cast<std::size_t>(label)].size; }

  /// Returns text such as "lhs bf16[8,128,512]".
  std::string what(std::size_t operand) const {
    constexpr std::array kSides = {"lhs", "rhs"};
    if (operands_.size() == 1) return str("operand ", operands_[0]);
    if (operands_.size() == 2) return str(kSides[operand], " ", operands_[operand]);
    return str("operand ", operand + 1, " ", operands_[operand]);
  }

  template <typename... Parts>
  [[noreturn]] void reject(const Parts&... parts) const {
    fail(ErrorCode::invalid_argument, "einsum: ", parts..., origin(loc_));
  }

 private:
  int find(std::string_view name) const {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (axes_[i].name == name) return static_cast<int>(i);
    }
    return -1;
  }

  int bind(std::string_view name, std::int64_t size, std::size_t operand) {
    if (int known = find(name); known >= 0) {
      const Axis& axis = axes_[static_cast<std::size_t>(known)];
      if (axis.size != size) {
        reject("axis '", name, "' is ", axis.size, " in ", what(axis.operand), " but ", size,
               " in ", what(operand));
      }
      return known;
    }
    bind_in_scope(name, size, operand);
    axes_.push_back({name, size, operand});
    return static_cast<int>(axes_.size()) - 1;
  }

  void bind_in_scope(std::string_view name, std::int64_t size, std::size_t operand) {
    AxisScopes& scopes = Tracer::current().axes();
    const std::int64_t* known = scopes.find(name);
    if (known != nullptr && *known == size) return;
    try {
      scopes.bind(name, size, what(operand), loc_);
    } catch (const Error& error) {
      reject(error.message());
    }
  }

  std::span<const Value> operands_;
  SourceLoc loc_;
  std::vector<Axis> axes_;
};

void check_operands(const EinsumSpec& spec,
                    std::size_t num_inputs,
                    const Axes& axes,
                    std::span<const Value> operands) {
  if (num_inputs != operands.size()) {
    axes.reject("the spec has ", num_inputs, " inputs but there are ", operands.size(),
                " operands: '", spec, "'");
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].is_null()) axes.reject("operand ", i + 1, " is an empty Value");
    if (operands[i].dtype() != operands[0].dtype()) {
      axes.reject("dtypes differ: ", axes.what(0), " and ", axes.what(i), "; cast one of them");
    }
  }
}

Labelled pair_product(
    Labelled a, Labelled b, std::span<const int> out, const DotOptions& options, SourceLoc loc) {
  // A product of earlier factors may be wider than the next factor.
  DType wide =
      bit_width(a.value.dtype()) > bit_width(b.value.dtype()) ? a.value.dtype() : b.value.dtype();
  a.value = cast(a.value, wide);
  b.value = cast(b.value, wide);
  return {contraction(std::move(a), std::move(b), out, options, loc), {out.begin(), out.end()}};
}

bool has_label(std::span<const int> labels, int label) {
  return std::ranges::find(labels, label) != labels.end();
}

// Returns the labels of factors i and j that the output or another factor needs, in an order that
// dot_general produces without a transpose.
std::vector<int> labels_kept(std::span<const Labelled> factors,
                             std::size_t i,
                             std::size_t j,
                             std::span<const int> out) {
  auto needed = [&](int label) {
    if (has_label(out, label)) return true;
    for (std::size_t k = 0; k < factors.size(); ++k) {
      if (k != i && k != j && has_label(factors[k].labels, label)) return true;
    }
    return false;
  };
  std::vector<int> kept;
  auto append = [&](const Labelled& own, const Labelled& other, bool shared) {
    for (int label : own.labels) {
      if (has_label(other.labels, label) == shared && needed(label)) kept.push_back(label);
    }
  };
  append(factors[i], factors[j], true);
  append(factors[i], factors[j], false);
  append(factors[j], factors[i], false);
  return kept;
}

double num_multiplications(const Labelled& a, const Labelled& b, const Axes& axes) {
  double number = 1;
  for (int label : a.labels)
    number *= static_cast<double>(axes.size(label));
  for (int label : b.labels)
    number *= has_label(a.labels, label) ? 1.0 : static_cast<double>(axes.size(label));
  return number;
}

void multiply_cheapest_pair(std::vector<Labelled>& factors,
                            std::span<const int> out,
                            const Axes& axes,
                            const DotOptions& options,
                            SourceLoc loc) {
  std::size_t left = 0, right = 1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < factors.size(); ++i) {
    for (std::size_t j = i + 1; j < factors.size(); ++j) {
      double number = num_multiplications(factors[i], factors[j], axes);
      if (number >= least) continue;
      least = number;
      left = i;
      right = j;
    }
  }
  std::vector<int> kept = labels_kept(factors, left, right, out);
  factors[left] =
      pair_product(std::move(factors[left]), std::move(factors[right]), kept, options, loc);
  factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(right));
}

}  // namespace

Value einsum(EinsumSpec spec,
             std::span<const Value> operands,
             const DotOptions& options,
             SourceLoc loc) {
  std::vector<AxisSpec> inputs = spec.inputs();
  Axes axes(operands, loc);
  check_operands(spec, inputs.size(), axes, operands);
  std::vector<Labelled> factors;
  for (std::size_t i = 0; i < operands.size(); ++i)
    factors.push_back({operands[i], axes.bind(inputs[i], i)});
  std::vector<int> out = axes.labels(spec.output());
  if (factors.size() == 1) {
    factors[0].value = cast(factors[0].value, options.out.value_or(operands[0].dtype()));
    return contraction(factors[0], out, loc);
  }
  while (factors.size() > 2)
    multiply_cheapest_pair(factors, out, axes, options, loc);
  return pair_product(std::move(factors[0]), std::move(factors[1]), out, options, loc).value;
}

Value einsum(EinsumSpec spec, Value x, const DotOptions& options, SourceLoc loc) {
  return einsum(spec, std::span(&x, 1), options, loc);
}

Value einsum(EinsumSpec spec, Value lhs, Value rhs, const DotOptions& options, SourceLoc loc) {
  return einsum(spec, std::array{lhs, rhs}, options, loc);
}

}  // namespace meshwright::graph
