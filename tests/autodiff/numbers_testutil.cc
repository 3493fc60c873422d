// SPDX-License-Identifier: Apache-2.0
#include "numbers_testutil.h"

#include <cmath>

#include "meshwright/graph/ops/reduce.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::autodiff {

Run compile_for_test(const graph::Program& program) {
  runtime::Executable executable = runtime::test_client().compile(program);
  return
      [executable](const std::vector<HostTensor>& args) { return runtime::run(executable, args); };
}

std::vector<std::vector<double>> evaluate(const Function& fn, const std::vector<HostTensor>& args) {
  std::vector<ArrayType> types;
  for (const HostTensor& arg : args)
    types.push_back(arg.type());
  graph::Program program = graph::trace(types, [&](std::span<const Value> in) { return fn(in); });
  std::vector<std::vector<double>> out;
  for (const HostTensor& result : compile_for_test(program)(args))
    out.push_back(result.to_doubles());
  return out;
}

std::string gradient_error(const Function& fn,
                           const std::vector<HostTensor>& point,
                           const CheckGradOptions& options) {
  try {
    check_grad(fn, point, compile_for_test, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

HostTensor sample(Dims dims, int seed) {
  HostTensor out(ArrayType{f64, std::move(dims)});
  double position = 0.7 + 1.3 * seed;
  for (double& number : out.mutable_values<double>()) {
    position += 2.399963;
    number = 0.9 * std::sin(position);
  }
  return out;
}

Value sum_all(Value x) {
  Dims over;
  for (int i = 0; i < x.rank(); ++i)
    over.push_back(i);
  return graph::reduce_sum(x, over);
}

}  // namespace meshwright::autodiff
