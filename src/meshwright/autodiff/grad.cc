// SPDX-License-Identifier: Apache-2.0
#include "meshwright/autodiff/grad.h"

#include "meshwright/autodiff/reverse_pass.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/tracing/declared_sharding.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::autodiff {

using graph::Region;
using graph::Tracer;

namespace {

std::span<const Value> span_of(std::initializer_list<Value> values) {
  return {values.begin(), values.size()};
}

// A function traced into a region, with the pass that emits it and its gradient.
struct Differentiable {
  Differentiable(const char* what, const Function& fn, std::span<const Value> given)
      : args(given.begin(), given.end()), body(trace_body(what, fn)) {}

  std::vector<Value> forward(const std::vector<bool>& with_cotangent) {
    std::vector<bool> wrt(args.size(), true);
    wrt.resize(static_cast<std::size_t>(body.num_args()));  // captures are constants
    pass = std::make_unique<ReversePass>(body, std::move(wrt), with_cotangent);
    std::vector<Value> inputs = args;
    inputs.insert(inputs.end(), body.captures.begin(), body.captures.end());
    return pass->forward(inputs);
  }

  std::vector<Value> backward(std::span<const Value> cotangents) const {
    std::vector<Value> gradients = pass->backward(cotangents);
    gradients.resize(args.size());
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (gradients[i].is_null()) gradients[i] = graph::zeros(args[i].type());
    }
    return gradients;
  }

  std::vector<Value> args;
  const Region& body;
  std::unique_ptr<ReversePass> pass;

 private:
  const Region& trace_body(const char* what, const Function& fn) const {
    for (std::size_t i = 0; i < args.size(); ++i) {
      MW_CHECK(is_float(args[i].dtype()), what, ": argument ", i, " is ", args[i],
               ", which has no gradient; capture it instead of passing it");
    }
    Tracer::Body call = [&](std::span<const Value> in) { return fn(in); };
    return Tracer::current().trace_region(graph::types_of(args), graph::with_sources(args, call));
  }
};

}  // namespace

ValueAndGrad value_and_grad(const Function& fn, std::span<const Value> args) {
  Differentiable function("grad", fn, args);
  const std::vector<Value>& results = function.body.results;
  MW_CHECK(!results.empty(), "grad: the function returns nothing");
  MW_CHECK(is_float(results[0].dtype()) && results[0].rank() == 0, "grad: the function returns ",
           results[0], ", expected a float scalar; reduce it, or use vjp");
  std::vector<bool> with_cotangent(results.size());
  with_cotangent[0] = true;
  std::vector<Value> forward = function.forward(with_cotangent);

  std::vector<Value> cotangents(results.size());
  cotangents[0] = graph::vary(graph::constant(1.0, results[0].dtype()), results[0].type().varying);
  ValueAndGrad out{.value = forward[0], .gradients = function.backward(cotangents)};
  out.aux.assign(forward.begin() + 1, forward.end());
  return out;
}

ValueAndGrad value_and_grad(const Function& fn, std::initializer_list<Value> args) {
  return value_and_grad(fn, span_of(args));
}

std::vector<Value> grad(const Function& fn, std::span<const Value> args) {
  return value_and_grad(fn, args).gradients;
}

std::vector<Value> grad(const Function& fn, std::initializer_list<Value> args) {
  return grad(fn, span_of(args));
}

Value grad(const Function& fn, Value arg) {
  return grad(fn, std::span(&arg, 1))[0];
}

Vjp vjp(const Function& fn, std::span<const Value> args) {
  auto function = std::make_shared<Differentiable>("vjp", fn, args);
  Vjp out;
  out.results = function->forward(std::vector<bool>(function->body.results.size(), true));
  out.pullback = [function](std::span<const Value> cotangents) {
    const std::vector<Value>& results = function->body.results;
    MW_CHECK(cotangents.size() == results.size(), "vjp: ", cotangents.size(), " cotangents for ",
             results.size(), " results");
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (cotangents[i].is_null()) continue;
      MW_CHECK(cotangents[i].type().array() == results[i].type().array(), "vjp: cotangent ", i,
               " is ", cotangents[i], " but the result is ", results[i]);
    }
    return function->backward(cotangents);
  };
  return out;
}

Vjp vjp(const Function& fn, std::initializer_list<Value> args) {
  return vjp(fn, span_of(args));
}

}  // namespace meshwright::autodiff
