// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/einsum.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/sharding/global.h"
#include "meshwright/models/encoder_decoder.h"
#include "meshwright/models/vit.h"
#include "meshwright/nn/pooling.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "nn_testutil.h"

namespace meshwright::models {
namespace {

using nn::ValueTree;

EncoderDecoderConfig small_encoder_decoder() {
  EncoderDecoderConfig c;
  c.vocab = 16;
  c.embed = 8;
  c.heads = 2;
  c.dim = 4;
  c.mlp = 12;
  c.encoder_layers = 2;
  c.decoder_layers = 1;
  c.num_buckets = 8;
  c.max_distance = 16;
  return c;
}

// With a cache attention uses the formula, without one the kernel, since there are enough queries.
TEST(EncoderDecoder, WithCacheIsTheSameAsWithout) {
  EncoderDecoder model(small_encoder_decoder());
  auto body = [&](const ValueTree& values, std::span<const Value> args) {
    nn::Context ctx(model, values);
    Value is_valid = graph::not_equal(args[0], 0);
    Value memory = model.encoded(ctx, args[0], is_valid);
    Value all = model.logits(ctx, args[1], memory, is_valid);
    DecodeModel decode = model.decode_model(ctx, memory, is_valid, 11);
    std::vector<Value> cache = decode.cache, parts;
    parts.push_back(decode.step(take_slice(args[1], 1, 0, 3), graph::constant(0, s32), cache));
    for (int at = 3; at < 10; ++at) {
      Value one = take_slice(args[1], 1, at, at + 1);
      parts.push_back(decode.step(one, graph::constant(at, s32), cache));
    }
    return std::vector{graph::concatenate(parts, 1), all};
  };
  std::vector<HostTensor> out = nn::run_module(
      model, nn::made_up_values(model),
      {{nn::some_tokens({2, 9}, 16), "batch src"}, {nn::some_tokens({2, 10}, 16, 2), "batch len"}},
      body);
  nn::expect_close({out[0]}, {out[1]}, 2e-6);
}

// Returns loss and gradients of some outputs.
std::vector<HostTensor> loss_and_gradients(
    const nn::Module& model,
    const std::vector<nn::Argument>& args,
    const std::function<Value(nn::Ctx& p, std::span<const Value> args)>& outputs,
    const nn::Place& place = {}) {
  auto body = [&](const ValueTree& values, std::span<const Value> given) {
    auto loss = [&](const ValueTree& p) {
      nn::Context ctx(model, p);
      return autodiff::Loss{graph::global_mean(square(outputs(ctx, given))), {}};
    };
    autodiff::LossAndGrad both = autodiff::value_and_grad(loss, values);
    std::vector<Value> out = leaves(both.gradients);
    out.insert(out.begin(), both.value);
    return out;
  };
  return nn::run_module(model, nn::made_up_values(model), args, body, place);
}

const mesh::AxisRule kBatch{"batch", {"data", "fsdp"}}, kMlp{"mlp", {"tensor"}},
    kEmbed{"embed", {"fsdp"}}, kVocab{"vocab", {"tensor"}};

nn::Place eight_devices(const std::string& heads) {
  mesh::AxisRule split_heads{heads, {"tensor"}};
  return {.mesh = mesh::Mesh({{"data", 2}, {"fsdp", 2}, {"tensor", 2}}),
          .params = {kEmbed, kMlp, kVocab, split_heads},
          .activations = {kBatch, kMlp, kVocab, split_heads}};
}

TEST(Vit, OnEightDevicesIsTheSameAsOnOne) {
  for (nn::StackForm form : {nn::StackForm::scanned, nn::StackForm::unrolled}) {
    VitConfig c{.height = 8, .width = 12, .patch = 4, .classes = 6, .layers = 2, .embed = 8};
    c.heads = 2;
    c.mlp = 16;
    c.stack = form;
    c.pooling = Pooling::attention;
    Vit vit(c);
    std::vector<nn::Argument> images = {
        {nn::some_floats({8, 8, 12, 3}), "batch height width channels"}};
    auto logits = [&](nn::Ctx& p, std::span<const Value> args) { return vit.logits(p, args[0]); };
    nn::expect_close(loss_and_gradients(vit, images, logits, eight_devices("kv")),
                     loss_and_gradients(vit, images, logits), 5e-6);
  }
}

TEST(EncoderDecoder, OnEightDevicesIsTheSameAsOnOne) {
  for (nn::StackForm form : {nn::StackForm::scanned, nn::StackForm::unrolled}) {
    EncoderDecoderConfig c = small_encoder_decoder();
    c.decoder_layers = 2;
    c.stack = form;
    EncoderDecoder model(c);
    std::vector<nn::Argument> tokens = {{nn::some_tokens({8, 10}, 16), "batch src"},
                                        {nn::some_tokens({8, 9}, 16, 2), "batch len"}};
    auto logits = [&](nn::Ctx& p, std::span<const Value> args) {
      Value is_valid = graph::not_equal(args[0], 0);
      return model.logits(p, args[1], model.encoded(p, args[0], is_valid), is_valid);
    };
    nn::expect_close(loss_and_gradients(model, tokens, logits, eight_devices("kv")),
                     loss_and_gradients(model, tokens, logits), 5e-6);
  }
}

TEST(Vit, EveryPoolingGivesOneRowOfLogitsPerImage) {
  for (Pooling pooling : {Pooling::attention, Pooling::mean, Pooling::first}) {
    VitConfig c{.height = 8, .width = 12, .patch = 4, .classes = 5, .layers = 2, .embed = 8};
    c.heads = 2;
    c.mlp = 16;
    c.pooling = pooling;
    Vit vit(c);
    graph::Tracer tracer({.dims = vit.dims()});  // as in training, sizes are checked by name
    nn::Context ctx(vit, nn::initial_values(vit, graph::random::key(0)));
    Value images = tracer.argument({f32, {3, 8, 12, 3}});
    EXPECT_EQ(vit.logits(ctx, images).type(), (ArrayType{f32, {3, 5}}));
    EXPECT_EQ(vit.features(ctx, images).dims(), (Dims{3, pooling == Pooling::first ? 7 : 6, 8}));
  }
}

TEST(Vit, PoolingFirstJudgesTheElementThatIsInFrontOfThePatches) {
  VitConfig c{.height = 8, .width = 12, .patch = 4, .classes = 5, .layers = 1, .embed = 8};
  c.heads = 2;
  c.mlp = 16;
  c.pooling = Pooling::first;
  Vit vit(c);
  auto body = [&](const ValueTree& values, std::span<const Value> args) {
    nn::Context ctx(vit, values);
    Value first = take_index(vit.features(ctx, args[0]), 1, 0);
    Value by_hand = graph::einsum("batch embed, embed classes -> batch classes", first,
                                  values.at("head/weight").value());
    return std::vector{vit.logits(ctx, args[0]), by_hand + values.at("head/bias").value()};
  };
  std::vector<HostTensor> out =
      nn::run_module(vit, nn::made_up_values(vit),
                     {{nn::some_floats({2, 8, 12, 3}), "batch height width channels"}}, body);
  nn::expect_close({out[0]}, {out[1]}, 1e-6);
}

// All padding: the mean of no elements.
TEST(Pooling, TheMeanOfNothingIsZero) {
  graph::Tracer tracer;
  Value x = tracer.argument({f32, {2, 2, 1}}), is_valid = tracer.argument({pred, {2, 2}});
  auto program = runtime::test_client().compile(tracer.finish({nn::mean_pooled(x, is_valid)}));
  HostTensor valid(ArrayType{pred, {2, 2}});
  valid.mutable_data()[3] = std::byte{1};  // the second of the second row
  const std::vector<HostTensor> out =
      run(program, {HostTensor::from<float>({1, 2, 3, 4}, {2, 2, 1}), valid});
  EXPECT_EQ(out[0].to_doubles(), (std::vector<double>{0, 4}));
}

}  // namespace
}  // namespace meshwright::models
