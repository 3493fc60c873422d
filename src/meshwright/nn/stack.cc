// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/stack.h"

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/slice.h"

namespace meshwright::nn {

using graph::random::Key;

// The inputs of a layer that follow the carry: parameters, words of the layer's key, xs of the
// caller.
struct StackBase::LayerInputs {
  std::vector<const ParamInfo*> params;
  std::optional<graph::random::KeyKind> key_kind = {};
  std::size_t num_key_words = 0;
  std::size_t num_carry = 0;
  const graph::ScanBody* body = nullptr;
  // Set when the layer is traced.
  std::vector<Context::Left> left = {};
};

StackBase::StackBase(Module* parent, std::string name, StackOptions options)
    : Module(parent, name),
      axis_(options.axis.empty() ? std::move(name) : options.axis),
      options_(std::move(options)) {
  MW_CHECK(!axis_.empty(), "a stack without a name needs an axis");
}

// Returns the results of one layer: carry, ys, and its outputs in the context.
std::vector<Value> StackBase::run_layer(Ctx& p,
                                        const LayerInputs& inputs,
                                        std::span<const Value> args) const {
  std::span<const Value> carry = args.first(inputs.num_carry);
  std::span<const Value> rest = args.subspan(inputs.num_carry);
  Context::Frame& frame = p.frames_.back();
  for (std::size_t i = 0; i < inputs.params.size(); ++i)
    frame.values.emplace(inputs.params[i], rest[i]);
  rest = rest.subspan(inputs.params.size());
  if (inputs.key_kind) {
    std::span<const Value> words = rest.first(inputs.num_key_words);
    frame.keys.emplace(parts()[0], Key(*inputs.key_kind, {words.begin(), words.end()}));
  }
  graph::ScanStep step = (*inputs.body)(carry, rest.subspan(inputs.num_key_words));
  std::vector<Value> out = std::move(step.carry);
  MW_CHECK(out.size() == inputs.num_carry, "stack '", path(), "': a layer must return ",
           inputs.num_carry, " carried values, got ", out.size());
  out.insert(out.end(), step.ys.begin(), step.ys.end());
  for (const Context::Left& left : p.frames_.back().left)
    out.push_back(left.value);
  return out;
}

// Adds the outputs of all layers to the enclosing frame of the context.
void StackBase::leave_outputs(Ctx& p,
                              const LayerInputs& inputs,
                              std::span<const Value> stacked) const {
  std::string own = path();
  for (std::size_t i = 0; i < inputs.left.size(); ++i) {
    const Context::Left& left = inputs.left[i];
    if (left.kind == Context::Kind::state_update) {
      p.leave(left.kind, left.path, stacked[i]);
      continue;
    }
    std::string rest = left.path.substr(own.empty() ? 0 : own.size() + 1);
    for (std::int64_t layer = 0; layer < num_layers(); ++layer) {
      std::string here = join_tree_path(join_tree_path(own, str("layer", layer)), rest);
      p.leave(left.kind, std::move(here), take_index(stacked[i], 0, layer));
    }
  }
}

graph::ScanResult StackBase::run(Ctx& p,
                                 std::span<const Value> carry,
                                 std::span<const Value> xs,
                                 const graph::ScanBody& body) const {
  graph::ModuleScope scope(name());
  LayerInputs inputs{.num_carry = carry.size(), .body = &body};
  std::vector<Value> stacked;
  for_each_param(*this, [&](const std::string&, const ParamInfo& info) {
    inputs.params.push_back(&info);
    stacked.push_back(p.stored(Param(&info)));
  });
  if (p.has_key()) {
    Key keys = split_batch(p.key(*this), {num_layers()});
    inputs.key_kind = keys.kind();
    inputs.num_key_words = keys.words().size();
    stacked.insert(stacked.end(), keys.words().begin(), keys.words().end());
  }
  stacked.insert(stacked.end(), xs.begin(), xs.end());

  auto layer = [&](std::span<const Value> args) {
    p.frames_.emplace_back();
    struct Pop {
      Ctx& p;
      ~Pop() { p.frames_.pop_back(); }
    } pop{p};
    std::vector<Value> out = run_layer(p, inputs, args);
    inputs.left = std::move(p.frames_.back().left);
    return out;
  };
  auto step = [&](std::span<const Value> state, std::span<const Value> slices) {
    std::vector<Value> args(state.begin(), state.end());
    args.insert(args.end(), slices.begin(), slices.end());
    std::vector<Value> all =
        options_.remat ? graph::remat(args, layer, *options_.remat) : layer(args);
    auto end_of_carry = all.begin() + static_cast<std::ptrdiff_t>(state.size());
    return graph::ScanStep{{all.begin(), end_of_carry}, {end_of_carry, all.end()}};
  };
  std::int64_t unroll = options_.form == StackForm::unrolled ? num_layers() : 1;
  graph::ScanResult result =
      graph::scan(carry, stacked, step, {.length = num_layers(), .unroll = unroll});
  std::size_t num_ys = result.ys.size() - inputs.left.size();
  leave_outputs(p, inputs, std::span<const Value>(result.ys).subspan(num_ys));
  result.ys.resize(num_ys);
  return result;
}

}  // namespace meshwright::nn
