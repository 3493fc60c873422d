// SPDX-License-Identifier: Apache-2.0
#include "meshwright/autodiff/check_grad.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "meshwright/autodiff/grad.h"

namespace meshwright::autodiff {

using graph::Program;
using graph::Tracer;

namespace {

using Tensors = std::vector<HostTensor>;
using Engine = std::mt19937_64;

bool is_checked(const HostTensor& tensor) {
  return tensor.dtype() == f64;
}

// Returns a number of either sign with a magnitude of at least 0.5, so that every element counts.
double draw(Engine& engine) {
  double fraction = static_cast<double>(engine() >> 11) * 0x1p-53;
  return fraction < 0.5 ? fraction - 1.0 : fraction;
}

HostTensor draw_tensor(const ArrayType& type, Engine& engine) {
  HostTensor out(type);
  for (double& number : out.mutable_values<double>())
    number = draw(engine);
  return out;
}

double dot(const HostTensor& a, const HostTensor& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.values<double>().size(); ++i)
    sum += a.values<double>()[i] * b.values<double>()[i];
  return sum;
}

// Returns the f64 results of fn as a function of its f64 arguments.
Function only_checked(const Function& fn, const Tensors& point, std::span<const Value> all) {
  return [fn, &point, all = std::vector(all.begin(), all.end())](std::span<const Value> checked) {
    std::vector<Value> args = all;
    std::size_t next = 0;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (is_checked(point[i])) args[i] = checked[next++];
    }
    std::vector<Value> results = fn(args);
    std::erase_if(results, [](const Value& result) { return result.dtype() != f64; });
    return results;
  };
}

std::vector<Value> checked_of(std::span<const Value> all, const Tensors& point) {
  std::vector<Value> out;
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (is_checked(point[i])) out.push_back(all[i]);
  }
  return out;
}

Program trace_at(const Tensors& args, const mesh::Mesh& mesh, const Tracer::Body& body) {
  std::vector<ArrayType> types;
  for (const HostTensor& arg : args)
    types.push_back(arg.type());
  return graph::trace(types, body, {.mesh = mesh});
}

class Check {
 public:
  Check(const Function& fn,
        const Tensors& point,
        const Compile& compile,
        const CheckGradOptions& options)
      : fn_(fn), point_(point), compile_(compile), options_(options), engine_(options.seed) {}

  void run() {
    Program values = trace_at(point_, options_.mesh, [this](std::span<const Value> all) {
      return only_checked(fn_, point_, all)(checked_of(all, point_));
    });
    for (const Value& result : values.main->results)
      cotangents_.push_back(draw_tensor(result.type(), engine_));
    MW_CHECK(!cotangents_.empty() && std::ranges::any_of(point_, is_checked),
             "check_grad: the function has no f64 results, or none of its arguments is f64");
    values_ = compile_(values);
    gradients_ = compile_gradients();
    for (int i = 0; i < options_.num_directions; ++i)
      check_direction();
    for (std::size_t i = 0; i < point_.size(); ++i) {
      if (is_checked(point_[i]) && point_[i].num_elements() <= options_.max_elements) {
        check_elements(i);
      }
    }
    if (options_.order > 1) check_next_order();
  }

 private:
  // Traces the gradients of the f64 arguments, given the point and the cotangents.
  std::vector<Value> trace_gradients(std::span<const Value> args) const {
    std::span<const Value> all = args.first(point_.size());
    Vjp back = vjp(only_checked(fn_, point_, all), checked_of(all, point_));
    return back.pullback(args.subspan(point_.size()));
  }

  Tensors compile_gradients() const {
    Tensors args = point_with_cotangents();
    Program program = trace_at(args, options_.mesh,
                               [this](std::span<const Value> in) { return trace_gradients(in); });
    Tensors found = compile_(program)(args);
    Tensors out(point_.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < point_.size(); ++i) {
      if (is_checked(point_[i])) out[i] = found[next++];
    }
    return out;
  }

  Tensors point_with_cotangents() const {
    Tensors args = point_;
    args.insert(args.end(), cotangents_.begin(), cotangents_.end());
    return args;
  }

  // Returns the sum of the results, weighted by the cotangents, at this distance from the point.
  double value_at(const Tensors& direction, double distance) const {
    Tensors args = point_;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (!is_checked(args[i])) continue;
      HostTensor moved(args[i].type());
      for (std::size_t e = 0; e < moved.values<double>().size(); ++e) {
        moved.mutable_values<double>()[e] =
            point_[i].values<double>()[e] + distance * direction[i].values<double>()[e];
      }
      args[i] = moved;
    }
    Tensors results = values_(args);
    double sum = 0;
    for (std::size_t i = 0; i < results.size(); ++i)
      sum += dot(results[i], cotangents_[i]);
    return sum;
  }

  double difference(const Tensors& direction) const {
    double h = options_.step;
    double near = value_at(direction, h) - value_at(direction, -h);
    double far = value_at(direction, 2 * h) - value_at(direction, -2 * h);
    return (8 * near - far) / (12 * h);
  }

  void check_direction() {
    Tensors direction(point_.size());
    double expected = 0;
    for (std::size_t i = 0; i < point_.size(); ++i) {
      if (!is_checked(point_[i])) continue;
      direction[i] = draw_tensor(point_[i].type(), engine_);
      expected += dot(direction[i], gradients_[i]);
    }
    compare("the gradient in a random direction", expected, difference(direction));
  }

  void check_elements(std::size_t argument) const {
    Tensors direction(point_.size());
    for (std::size_t i = 0; i < point_.size(); ++i) {
      if (is_checked(point_[i])) direction[i] = HostTensor(point_[i].type());
    }
    std::span<double> one = direction[argument].mutable_values<double>();
    for (std::size_t e = 0; e < one.size(); ++e) {
      one[e] = 1;
      compare(str("the gradient of element ", e, " of argument ", argument, ", ",
                  point_[argument].type()),
              gradients_[argument].values<double>()[e], difference(direction));
      one[e] = 0;
    }
  }

  void compare(const std::string& what, double gradient, double expected) const {
    double scale = 1 + std::max(std::abs(gradient), std::abs(expected));
    if (std::abs(gradient - expected) <= options_.tolerance * scale) return;
    fail(ErrorCode::numerics, "check_grad: ", what, " is ", gradient, " but differences give ",
         expected);
  }

  // Checks the gradient as a function of the point and the cotangents.
  void check_next_order() const {
    CheckGradOptions next = options_;
    --next.order;
    ++next.seed;
    Function gradients = [this](std::span<const Value> args) { return trace_gradients(args); };
    try {
      check_grad(gradients, point_with_cotangents(), compile_, next);
    } catch (const Error& error) {
      throw error.with_context("in the gradient of the gradient");
    }
  }

  const Function& fn_;
  const Tensors& point_;
  const Compile& compile_;
  const CheckGradOptions& options_;
  Engine engine_;
  Tensors cotangents_;
  Run values_;
  Tensors gradients_;  // per argument; empty for those not checked
};

}  // namespace

void check_grad(const Function& fn,
                const std::vector<HostTensor>& point,
                const Compile& compile,
                const CheckGradOptions& options) {
  Check(fn, point, compile, options).run();
}

}  // namespace meshwright::autodiff
