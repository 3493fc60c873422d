// SPDX-License-Identifier: Apache-2.0
// usage: nn_parity FOLDER [PART_OF_NAME]
//
// Runs layers and models and writes parameters, inputs, outputs and gradients to FOLDER, which
// nn_parity.py compares with JAX.
#include <memory>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/models/decoder_lm.h"
#include "meshwright/models/encoder_decoder.h"
#include "meshwright/models/vit.h"
#include "meshwright/nn/losses.h"
#include "meshwright/nn/mask.h"
#include "meshwright/nn/orthogonal.h"
#include "nn_inits.h"
#include "nn_testutil.h"
#include "program.h"

namespace meshwright::nn {
namespace {

using Outputs = std::vector<Value>;

struct Case {
  std::string name;
  std::shared_ptr<const Module> module;
  std::vector<HostTensor> inputs;
  std::function<Outputs(Ctx& p, std::span<const Value> inputs)> body;
  DType compute = f32;
};

struct Norms : Module {
  Norms() : Module({{"embed", 6}}) {}
  Norm rms{this, "rms", "embed"};
  Norm layer{this, "layer", "embed", {.kind = NormKind::layer, .epsilon = 1e-5, .bias = true}};
};

struct Mlps : Module {
  Mlps() : Module({{"embed", 6}, {"mlp", 10}}) {}
  Mlp swiglu{this, "swiglu"};
  Mlp gelu{this, "gelu", {.activation = Activation::gelu, .gated = false, .bias = true}};
  Mlp geglu{this, "geglu", {.activation = Activation::gelu_tanh, .bias = true}};
};

struct Attentions : Module {
  Attentions() : Module({{"embed", 6}, {"kv", 2}, {"q", 2}, {"dim", 4}, {"memory", 5}}) {}
  Attention self{this, "self", {.normalize_heads = true}};
  Attention cross{this, "cross", {.bias = true, .scale = 1.0, .memory = "memory"}};
  RelativeBias bias{this, "bias", {.num_buckets = 8, .max_distance = 12}};
  RelativeBias causal{
      this, "causal", {.is_bidirectional = false, .num_buckets = 8, .max_distance = 12}};
};

struct Drops : Module {
  Drops() : Module(AxisSizes{}) {}
  Dropout dropout{this, "dropout", 0.3};
};

struct Nothing : Module {
  Nothing() : Module(AxisSizes{}) {}
};

Case norms(DType compute) {
  auto m = std::make_shared<Norms>();
  auto body = [m](Ctx& p, std::span<const Value> in) {
    Value x = cast(in[0], p.dtype());
    return Outputs{m->rms(p, x), m->layer(p, x)};
  };
  return {"norms", m, {some_floats({2, 3, 6})}, body, compute};
}

Case mlps(DType compute) {
  auto m = std::make_shared<Mlps>();
  auto body = [m](Ctx& p, std::span<const Value> in) {
    Value x = cast(in[0], p.dtype());
    return Outputs{m->swiglu(p, x), m->gelu(p, x), m->geglu(p, x)};
  };
  return {"mlps", m, {some_floats({2, 3, 6})}, body, compute};
}

Case attentions(DType compute) {
  auto m = std::make_shared<Attentions>();
  auto body = [m](Ctx& p, std::span<const Value> in) {
    Value x = cast(in[0], p.dtype()), memory = cast(in[1], p.dtype());
    Value order = positions(5), keys = positions(7);
    Value mask = both(causal_mask(order, order), segment_mask(in[2], in[2]));
    Rope halves(order, 4), neighbours(order, 4, {100, RopePairs::neighbours});
    AttentionInputs across{.memory = memory, .bias = m->bias(p, order, keys)};
    AttentionInputs prefix{
        .causal = true, .prefix = in[3], .bias = m->causal(p, order, order), .rope = neighbours};
    return Outputs{m->self(p, x, {.mask = mask, .rope = halves}), m->cross(p, x, across),
                   m->self(p, x, prefix)};
  };
  HostTensor segments = HostTensor::from<std::int32_t>({1, 1, 1, 2, 2, 1, 2, 2, 2, 2}, {2, 5});
  HostTensor prefix = HostTensor::from<std::int32_t>({3, 0}, {2});
  return {"attentions",
          m,
          {some_floats({2, 5, 6}), some_floats({2, 7, 5}, 2), segments, prefix},
          body,
          compute};
}

// Rows of several documents and padding, and keys with segments of their own.
const HostTensor& packed_segments() {
  static const HostTensor segments = HostTensor::from<std::int32_t>(
      {1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, {2, 12});
  return segments;
}

const HostTensor& packed_positions() {
  static const HostTensor positions = HostTensor::from<std::int32_t>(
      {0, 1, 2, 3, 4, 0, 1, 2, 0, 1, 0, 1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {2, 12});
  return positions;
}

Case packed_attentions(DType compute) {
  auto m = std::make_shared<Attentions>();
  auto body = [m](Ctx& p, std::span<const Value> in) {
    Value x = cast(in[0], p.dtype()), memory = cast(in[1], p.dtype());
    AttentionInputs own{.segments = in[2], .causal = true, .rope = Rope(in[3], 4)};
    AttentionInputs across{.memory = memory, .segments = in[2], .memory_segments = in[4]};
    return Outputs{m->self(p, x, own), m->self(p, x, {.segments = in[2]}),
                   m->self(p, x, {.causal = true}), m->cross(p, x, across)};
  };
  HostTensor of_memory =
      HostTensor::from<std::int32_t>({2, 1, 1, 1, 0, 3, 2, 2, 2, 2, 2, 2, 2, 1}, {2, 7});
  return {"packed_attentions",
          m,
          {some_floats({2, 12, 6}), some_floats({2, 7, 5}, 2), packed_segments(),
           packed_positions(), of_memory},
          body,
          compute};
}

Case tables() {
  auto m = std::make_shared<Nothing>();
  auto body = [](Ctx&, std::span<const Value>) {
    return Outputs{sincos(positions(9), 6), sincos_2d(3, 4, 8)};
  };
  return {"tables", m, {}, body};
}

// Separate from the initial values above, since LAPACK, which JAX calls, rounds differently.
Case orthogonals() {
  auto m = std::make_shared<Nothing>();
  auto body = [](Ctx&, std::span<const Value>) {
    auto draw = [](const Init& init, Dims dims, std::vector<std::string> axes) {
      return init(graph::random::key(3), {std::move(dims), f32, std::move(axes)});
    };
    return Outputs{
        draw(orthogonal(), {7, 4}, {"a", "b"}), draw(orthogonal(2.0), {4, 7}, {"a", "b"}),
        draw(orthogonal(1.0, "a"), {8, 2, 3}, {"a", "b", "c"}),
        draw(orthogonal(), {3, 5, 6}, {"a", "b", "c"}), draw(orthogonal(), {96, 32}, {"a", "b"})};
  };
  return {"orthogonals", m, {}, body};
}

Case dropout() {
  auto m = std::make_shared<Drops>();
  auto body = [m](Ctx& p, std::span<const Value> in) {
    return Outputs{m->dropout(p, in[0]), m->dropout(p, in[0], {1})};
  };
  return {"dropout", m, {some_floats({4, 5, 6})}, body};
}

Case losses() {
  auto m = std::make_shared<Nothing>();
  auto body = [](Ctx&, std::span<const Value> in) {
    Value soft = softmax(in[1], -1);
    return Outputs{cross_entropy(in[0], in[2]),
                   cross_entropy(in[0], in[2], {.label_smoothing = 0.1, .z_loss = 0.01}),
                   soft_cross_entropy(in[0], soft, {.label_smoothing = 0.2}),
                   sigmoid_cross_entropy(in[0], soft), is_correct(in[0], in[2])};
  };
  return {"losses",
          m,
          {some_floats({3, 4, 7}), some_floats({3, 4, 7}, 2), some_tokens({3, 4}, 7)},
          body};
}

Case lm(const std::string& name, models::DecoderLmConfig c, DType compute) {
  c.vocab = 24;
  c.layers = 2;
  c.embed = 12;
  c.kv = 2;
  c.q = name.ends_with("gpt2") ? 1 : 2;
  c.dim = 6;
  c.mlp = 16;
  c.max_len = 11;
  auto m = std::make_shared<models::DecoderLm>(c);
  if (name.starts_with("packed")) {
    auto packed = [m](Ctx& p, std::span<const Value> in) {
      return Outputs{m->logits(p, {.ids = in[0], .segments = in[1], .positions = in[2]})};
    };
    return {name,
            m,
            {some_tokens({2, 12}, 24), packed_segments(), packed_positions()},
            packed,
            compute};
  }
  auto body = [m](Ctx& p, std::span<const Value> in) {
    return Outputs{m->logits(p, {.ids = in[0]})};
  };
  return {name, m, {some_tokens({2, 7}, 24)}, body, compute};
}

Case vit() {
  models::VitConfig c{.height = 6, .width = 9, .patch = 3, .classes = 5, .layers = 2, .embed = 8};
  c.heads = 2;
  c.mlp = 12;
  c.pooling = models::Pooling::attention;
  auto m = std::make_shared<models::Vit>(c);
  auto body = [m](Ctx& p, std::span<const Value> in) { return Outputs{m->logits(p, in[0])}; };
  return {"vit", m, {some_floats({2, 6, 9, 3})}, body};
}

Case encoder_decoder() {
  models::EncoderDecoderConfig c;
  c.vocab = 16;
  c.embed = 8;
  c.heads = 2;
  c.dim = 4;
  c.mlp = 12;
  c.encoder_layers = 2;
  c.decoder_layers = 1;
  c.num_buckets = 8;
  c.max_distance = 16;
  auto m = std::make_shared<models::EncoderDecoder>(c);
  auto body = [m](Ctx& p, std::span<const Value> in) {
    Value is_valid = graph::not_equal(in[0], 0);
    return Outputs{m->logits(p, in[1], m->encoded(p, in[0], is_valid), is_valid)};
  };
  return {"encoder_decoder", m, {some_tokens({2, 6}, 5), some_tokens({2, 5}, 16, 2)}, body};
}

std::vector<Case> all_cases() {
  using models::DecoderLmConfig;
  return {norms(f32),
          norms(bf16),
          mlps(f32),
          mlps(bf16),
          attentions(f32),
          attentions(bf16),
          packed_attentions(f32),
          packed_attentions(bf16),
          tables(),
          orthogonals(),
          dropout(),
          losses(),
          lm("llama", DecoderLmConfig::llama(), f32),
          lm("llama", DecoderLmConfig::llama(), bf16),
          lm("seqax", DecoderLmConfig::seqax(), f32),
          lm("gpt2", DecoderLmConfig::gpt2(), f32),
          lm("packed_llama", DecoderLmConfig::llama(), f32),
          lm("packed_llama", DecoderLmConfig::llama(), bf16),
          lm("packed_seqax", DecoderLmConfig::seqax(), f32),
          lm("packed_gpt2", DecoderLmConfig::gpt2(), f32),
          vit(),
          encoder_decoder()};
}

// Returns the outputs, and the gradients of the sum of their mean squares.
parity::Record run_case(const Case& c, const std::filesystem::path& folder) {
  HostTree params = made_up_values(*c.module);
  auto body = [&](const ValueTree& values, std::span<const Value> inputs) {
    auto loss = [&](const ValueTree& p) {
      Context ctx(*c.module, p,
                  {.is_training = true, .compute_dtype = c.compute, .key = graph::random::key(5)});
      autodiff::Loss out{graph::constant(0.0, f32), {}};
      for (Value y : c.body(ctx, inputs)) {
        out.aux[str("out", 100 + out.aux.num_leaves())] = y;
        out.value = out.value + mean(square(cast(y, f32)), graph::all_dims(y));
      }
      return out;
    };
    if (params.num_leaves() == 0) return leaves(loss(values).aux);
    autodiff::LossAndGrad both = autodiff::value_and_grad(loss, values);
    Outputs out = leaves(both.aux);
    for (Value gradient : leaves(both.gradients))
      out.push_back(gradient);
    return out;
  };
  std::vector<Argument> args;
  for (const HostTensor& input : c.inputs)
    args.push_back({input, ""});
  parity::Record record(folder, str(c.name, ".", dtype_name(c.compute)));
  record.text("case", c.name);
  record.text("dtype", dtype_name(c.compute));
  std::vector<std::string> paths;
  for_each(params, [&](const std::string& path, const HostTensor&) { paths.push_back(path); });
  record.text("paths", join(paths, " "));
  record.arrays("params", leaves(params));
  record.arrays("inputs", c.inputs);
  record.arrays("results", run_module(*c.module, params, args, body));
  return record;
}

parity::Record run_inits(DType dtype, const std::filesystem::path& folder) {
  Inits inits(dtype);
  HostTree values = drawn_values(inits, 7);
  parity::Record record(folder, str("inits.", dtype_name(dtype)));
  record.text("case", "inits");
  record.text("dtype", dtype_name(dtype));
  std::vector<std::string> paths;
  for_each(values, [&](const std::string& path, const HostTensor&) { paths.push_back(path); });
  record.text("paths", join(paths, " "));
  record.arrays("results", leaves(values));
  return record;
}

std::vector<parity::Record> all_records(const parity::Request& request) {
  std::vector<parity::Record> records;
  for (DType dtype : {f32, bf16}) {
    if (request.wants("inits")) records.push_back(run_inits(dtype, request.folder));
  }
  for (const Case& c : all_cases()) {
    if (request.wants(c.name)) records.push_back(run_case(c, request.folder));
  }
  return records;
}

}  // namespace
}  // namespace meshwright::nn

int main(int argc, char** argv) {
  return meshwright::parity::run_program(argc, argv, meshwright::nn::all_records);
}
