// SPDX-License-Identifier: Apache-2.0
#include "meshwright/autodiff/tree_grad.h"

namespace meshwright::autodiff {
namespace {

void check_floats(const ValueTree& parameters) {
  for_each(parameters, [](const std::string& path, const Value& value) {
    MW_CHECK(!value.is_null(), "value_and_grad: parameter '", path, "' is an empty Value");
    MW_CHECK(is_float(value.dtype()), "value_and_grad: parameter '", path, "' is ", value,
             ", which has no gradient; remove it from the tree and capture it instead");
  });
}

}  // namespace

LossAndGrad value_and_grad(const std::function<Loss(const ValueTree& parameters)>& loss,
                           const ValueTree& parameters) {
  check_floats(parameters);
  ValueTree aux;  // keeps the names; the values belong to the trace of the function
  auto flat = [&](std::span<const Value> args) {
    Loss result = loss(with_leaves(parameters, std::vector<Value>(args.begin(), args.end())));
    aux = result.aux;
    std::vector<Value> results = leaves(result.aux);
    results.insert(results.begin(), result.value);
    return results;
  };
  ValueAndGrad found = value_and_grad(Function(flat), leaves(parameters));
  return {found.value, with_leaves(aux, found.aux), with_leaves(parameters, found.gradients)};
}

ValueTree grad(const std::function<Value(const ValueTree& parameters)>& loss,
               const ValueTree& parameters) {
  auto with_aux = [&loss](const ValueTree& args) { return Loss{loss(args), {}}; };
  return value_and_grad(with_aux, parameters).gradients;
}

}  // namespace meshwright::autodiff
