// SPDX-License-Identifier: Apache-2.0
// Repeated layers: the parameters of all copies are stacked along a leading axis.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/graph/ops/remat.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/nn/context.h"

namespace meshwright::nn {

/// `scanned` runs one body in a loop, which compiles quickly. `unrolled` emits every layer, which
/// may run faster. Both have the same parameters and results.
enum class StackForm { scanned, unrolled };

struct StackOptions {
  /// Leading axis of the stacked parameters; its size is the number of layers. Defaults to the
  /// name of the stack.
  std::string axis = {};
  StackForm form = StackForm::scanned;
  /// The values of each layer to keep for the backward pass. Defaults to all values that it needs.
  std::optional<graph::SavePolicy> remat = {};
};

class StackBase : public Module {
 public:
  StackBase(Module* parent, std::string name, StackOptions options);

  std::string stack_axis() const override { return axis_; }
  std::int64_t num_layers() const { return size(axis_); }

  /// Runs `body` for each layer with that layer's parameters. `carry` is passed from layer to
  /// layer. Layer i gets slice i of every array in `xs`. The `ys` of all layers are stacked.
  graph::ScanResult run(Ctx& p,
                        std::span<const Value> carry,
                        std::span<const Value> xs,
                        const graph::ScanBody& body) const;

 private:
  struct LayerInputs;
  std::vector<Value> run_layer(Ctx& p,
                               const LayerInputs& inputs,
                               std::span<const Value> args) const;
  void leave_outputs(Ctx& p, const LayerInputs& inputs, std::span<const Value> stacked) const;

  std::string axis_;
  StackOptions options_;
};

template <typename Layer>
class Stack : public StackBase {
 public:
  Stack(Module* parent, std::string name) : Stack(parent, std::move(name), StackOptions()) {}
  /// `layer_args` are passed to the constructor of the layer after its parent and name.
  template <typename... LayerArgs>
  Stack(Module* parent, std::string name, StackOptions options, LayerArgs&&... layer_args)
      : StackBase(parent, std::move(name), std::move(options)),
        layer_(this, "", std::forward<LayerArgs>(layer_args)...) {}

  const Layer& layer() const { return layer_; }

  /// Returns layer(p, ... layer(p, layer(p, x, shared...), shared...) ...).
  template <typename... Shared>
  Value operator()(Ctx& p, Value x, const Shared&... shared) const {
    auto body = [&](std::span<const Value> carry, std::span<const Value>) {
      return graph::ScanStep{.carry = {layer_(p, carry[0], shared...)}, .ys = {}};
    };
    return run(p, std::span(&x, 1), {}, body).carry[0];
  }

 private:
  Layer layer_;
};

}  // namespace meshwright::nn
