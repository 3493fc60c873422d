// SPDX-License-Identifier: Apache-2.0
// Axes: batch, len, src (keys), embed, kv (key heads), q (queries per kv head), dim (head), mlp.
#include "models/decoder.h"

#include <cmath>

#include "meshwright/base/error.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/remat.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/kernels/attention/attention.h"
#include "meshwright/kernels/cross_entropy/cross_entropy.h"
#include "meshwright/kernels/norm/norm.h"
#include "models/layers.h"

namespace meshwright::test_models {
namespace {

using graph::concatenate;
using graph::einsum;
using graph::iota;

// Inputs shared by all layers.
struct Positions {
  Value cosine, sine;  // len half_dim
  Value mask;          // len src
};

Positions positions(const DecoderConfig& c) {
  Dims table = {c.len, c.dim / 2};
  Value frequency = graph::exp(iota(f32, table, 1) * (-std::log(10000.0) * 2 / c.dim));
  Value angle = iota(f32, table, 0) * frequency;
  Dims square = {c.len, c.len};
  return {cast(graph::cos(angle), c.compute), cast(graph::sin(angle), c.compute),
          iota(s32, square, 0) >= iota(s32, square, 1)};
}

Value rotate(const Positions& at, Value x) {  // batch len ... dim
  Dims dims(static_cast<std::size_t>(x.rank() - 1), 1);
  dims[0] = x.dim(1);
  dims.back() = x.dim(-1) / 2;
  Value cosine = reshape(at.cosine, dims);
  Value sine = reshape(at.sine, dims);
  std::vector<Value> half = split_evenly(x, -1, 2);
  return concatenate({half[0] * cosine - half[1] * sine, half[1] * cosine + half[0] * sine}, -1);
}

struct Block {
  Value norm1, w_q, w_k, w_v, w_o, norm2, w_gate, w_up, w_down;
};

const std::vector<std::string> kBlockNames = {"norm1", "w_q",    "w_k",  "w_v",   "w_o",
                                              "norm2", "w_gate", "w_up", "w_down"};

Block block_of(std::span<const Value> v) {
  return {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]};
}

Value mixed_values(Value q, Value k, Value v, Value mask) {
  Value logits =
      einsum("batch len kv q dim, batch src kv dim -> batch kv q len src", q, k, {.out = f32});
  Value probs = cast(softmax(graph::where(mask, logits, -1e10), -1), q.dtype());
  return einsum("batch kv q len src, batch src kv dim -> batch len kv q dim", probs, v);
}

Value attention(const DecoderConfig& c, const Block& w, const Positions& at, Value x) {
  DType dtype = x.dtype();
  auto weight = [&](Value p) { return cast(p, dtype); };
  Value q = einsum("batch len embed, embed kv q dim -> batch len kv q dim", x, weight(w.w_q));
  Value k = einsum("batch src embed, embed kv dim -> batch src kv dim", x, weight(w.w_k));
  Value v = einsum("batch src embed, embed kv dim -> batch src kv dim", x, weight(w.w_v));
  q = rotate(at, q) * (1 / std::sqrt(static_cast<double>(q.dim(-1))));
  k = rotate(at, k);
  Value mixed =
      c.kernels ? kernels::attention(q, k, v, {.mask = at.mask}) : mixed_values(q, k, v, at.mask);
  return einsum("batch len kv q dim, kv q dim embed -> batch len embed", mixed, weight(w.w_o));
}

Value swiglu(const Block& w, Value x) {
  auto weight = [&](Value p) { return cast(p, x.dtype()); };
  Value gate = einsum("batch len embed, embed mlp -> batch len mlp", x, weight(w.w_gate));
  Value up = einsum("batch len embed, embed mlp -> batch len mlp", x, weight(w.w_up));
  return einsum("batch len mlp, mlp embed -> batch len embed", silu(gate) * up, weight(w.w_down));
}

Value norm(const DecoderConfig& c, Value x, Value scale) {
  return c.kernels ? kernels::norm(x, scale, {}) : rms_norm(x, scale);
}

Value apply(const DecoderConfig& c, const Block& w, const Positions& at, Value x) {
  graph::ModuleScope module("layers");
  x = x + attention(c, w, at, norm(c, x, w.norm1));
  return x + swiglu(w, norm(c, x, w.norm2));
}

std::vector<Value> block_weights(const Params& p, const std::string& prefix) {
  std::vector<Value> out;
  for (const std::string& name : kBlockNames)
    out.push_back(p[prefix + name]);
  return out;
}

Value layer(const DecoderConfig& c, std::span<const Value> weights, const Positions& at, Value x) {
  if (!c.remat) return apply(c, block_of(weights), at, x);
  std::vector<Value> args(weights.begin(), weights.end());
  args.push_back(x);
  auto body = [&](std::span<const Value> a) {
    return std::vector{apply(c, block_of(a.first(a.size() - 1)), at, a.back())};
  };
  return graph::remat(args, body)[0];
}

Value all_layers(const DecoderConfig& c, const Params& p, const Positions& at, Value x) {
  if (c.scanned) {
    auto body = [&](std::span<const Value> carry, std::span<const Value> weights) {
      return graph::ScanStep{.carry = {layer(c, weights, at, carry[0])}, .ys = {}};
    };
    return graph::scan(std::vector{x}, block_weights(p, "layers."), body).carry[0];
  }
  for (int i = 0; i < c.layers; ++i)
    x = layer(c, block_weights(p, str("layers.", i, ".")), at, x);
  return x;
}

Value loss(const DecoderConfig& c, const Params& p, Value tokens) {
  graph::ModuleScope module("decoder");
  Value ids = take_slice(tokens, 1, 0, -1);
  Value targets = take_slice(tokens, 1, 1);
  Value x = take(cast(p["embed"], c.compute), ids, 0);
  x = norm(c, all_layers(c, p, positions(c), x), p["final_norm"]);
  if (c.kernels) {
    const double of_one = 1.0 / static_cast<double>(num_elements(targets.dims()));
    Value weights = graph::constant(of_one, f32, targets.dims());
    return kernels::cross_entropy({x, p["unembed"]}, targets, weights).loss;
  }
  Value logits = einsum("batch len embed, embed vocab -> batch len vocab", x,
                        cast(p["unembed"], c.compute), {.out = f32});
  return cross_entropy(logits, targets);
}

std::vector<ParamSpec> block_params(const DecoderConfig& c) {
  double in = 1 / std::sqrt(static_cast<double>(c.embed));
  double mlp = 1 / std::sqrt(static_cast<double>(c.mlp));
  using Axes = std::vector<std::vector<std::string>>;
  return {
      {"norm1", {c.embed}, 0.1, 1},
      {"w_q", {c.embed, c.kv, c.q, c.dim}, in, 0, {Axes{{}, {"tensor"}}}},
      {"w_k", {c.embed, c.kv, c.dim}, in, 0, {Axes{{}, {"tensor"}}}},
      {"w_v", {c.embed, c.kv, c.dim}, in, 0, {Axes{{}, {"tensor"}}}},
      {"w_o", {c.kv, c.q, c.dim, c.embed}, in, 0, {Axes{{"tensor"}}}},
      {"norm2", {c.embed}, 0.1, 1},
      {"w_gate", {c.embed, c.mlp}, in, 0, {Axes{{}, {"tensor"}}}},
      {"w_up", {c.embed, c.mlp}, in, 0, {Axes{{}, {"tensor"}}}},
      {"w_down", {c.mlp, c.embed}, mlp, 0, {Axes{{"tensor"}}}},
  };
}

// Stacks a parameter of all layers along a new first dimension.
ParamSpec stacked(ParamSpec spec, int layers) {
  spec.name = "layers." + spec.name;
  spec.dims.insert(spec.dims.begin(), layers);
  std::vector<std::vector<std::string>>& axes = spec.sharding.dims;
  axes.insert(axes.begin(), std::vector<std::string>{});
  return spec;
}

std::vector<ParamSpec> layer_params(const DecoderConfig& c) {
  std::vector<ParamSpec> out;
  for (int i = 0; i < (c.scanned ? 1 : c.layers); ++i) {
    for (ParamSpec& spec : block_params(c)) {
      if (!c.scanned) spec.name = str("layers.", i, ".", spec.name);
      out.push_back(c.scanned ? stacked(std::move(spec), c.layers) : std::move(spec));
    }
  }
  return out;
}

}  // namespace

Model decoder(const DecoderConfig& c) {
  Model model{.name = "decoder"};
  model.params = {{"embed", {c.vocab, c.embed}, 1}};
  for (ParamSpec& spec : layer_params(c))
    model.params.push_back(std::move(spec));
  model.params.push_back({"final_norm", {c.embed}, 0.1, 1});
  model.params.push_back(
      {"unembed", {c.embed, c.vocab}, 1 / std::sqrt(static_cast<double>(c.embed))});
  model.inputs = {{"tokens", {c.batch, c.len + 1}, c.vocab, {{{"data"}}}}};
  model.loss = [c](const Params& p, std::span<const Value> in) { return loss(c, p, in[0]); };
  return model;
}

}  // namespace meshwright::test_models
