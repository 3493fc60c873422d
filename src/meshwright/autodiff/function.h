// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::autodiff {

using graph::Value;

/// A function to differentiate: any callable that takes either a span of Values or one to six
/// single Values, and returns a Value or a vector of them. Values of the enclosing trace that it
/// captures are constants.
class Function {
 public:
  template <typename Callable>
  requires(!std::same_as<std::remove_cvref_t<Callable>, Function>)
      Function(Callable callable)  // NOLINT(google-explicit-constructor)
      : call_([callable = std::move(callable)](std::span<const Value> args) {
          return as_vector(call_with(callable, args));
        }) {}

  std::vector<Value> operator()(std::span<const Value> args) const { return call_(args); }

 private:
  static std::vector<Value> as_vector(Value result) { return {result}; }
  static std::vector<Value> as_vector(std::vector<Value> results) { return results; }

  template <typename Callable>
  static auto call_with(const Callable& callable, std::span<const Value> args) {
    if constexpr (std::invocable<const Callable&, std::span<const Value>>) {
      return callable(args);
    } else if constexpr (std::invocable<const Callable&, Value>) {
      return spread<1>(callable, args);
    } else if constexpr (std::invocable<const Callable&, Value, Value>) {
      return spread<2>(callable, args);
    } else if constexpr (std::invocable<const Callable&, Value, Value, Value>) {
      return spread<3>(callable, args);
    } else if constexpr (std::invocable<const Callable&, Value, Value, Value, Value>) {
      return spread<4>(callable, args);
    } else if constexpr (std::invocable<const Callable&, Value, Value, Value, Value, Value>) {
      return spread<5>(callable, args);
    } else {
      return spread<6>(callable, args);
    }
  }

  template <std::size_t count, typename Callable>
  static auto spread(const Callable& callable, std::span<const Value> args) {
    MW_CHECK(args.size() == count, "a function of ", count, " values was called with ",
             args.size());
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return callable(args[i]...);
    }
    (std::make_index_sequence<count>());
  }

  std::function<std::vector<Value>(std::span<const Value>)> call_;
};

}  // namespace meshwright::autodiff
