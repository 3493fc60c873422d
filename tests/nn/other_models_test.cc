// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/models/encoder_decoder.h"
#include "meshwright/models/vit.h"
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

TEST(EncoderDecoder, WithCacheIsTheSameAsWithout) {
  EncoderDecoder model(small_encoder_decoder());
  auto body = [&](const ValueTree& values, std::span<const Value> args) {
    nn::Context ctx(model, values);
    Value is_valid = graph::not_equal(args[0], 0);
    Value memory = model.encoded(ctx, args[0], is_valid);
    Value all = model.logits(ctx, args[1], memory, is_valid);
    DecodeModel decode = model.decode_model(ctx, memory, is_valid, 7);
    std::vector<Value> cache = decode.cache, parts;
    parts.push_back(decode.step(take_slice(args[1], 1, 0, 3), graph::constant(0, s32), cache));
    for (int at = 3; at < 6; ++at) {
      Value one = take_slice(args[1], 1, at, at + 1);
      parts.push_back(decode.step(one, graph::constant(at, s32), cache));
    }
    return std::vector{graph::concatenate(parts, 1), all};
  };
  std::vector<HostTensor> out = nn::run_module(
      model, nn::made_up_values(model),
      {{nn::some_tokens({2, 5}, 16), "batch src"}, {nn::some_tokens({2, 6}, 16, 2), "batch len"}},
      body);
  nn::expect_close({out[0]}, {out[1]}, 2e-6);
}

TEST(Vit, EveryPoolingGivesOneRowOfLogitsPerImage) {
  for (Pooling pooling : {Pooling::attention, Pooling::mean, Pooling::first}) {
    VitConfig c{.height = 8, .width = 12, .patch = 4, .classes = 5, .layers = 2, .embed = 8};
    c.heads = 2;
    c.mlp = 16;
    c.pooling = pooling;
    Vit vit(c);
    graph::Tracer tracer;
    nn::Context ctx(vit, nn::initial_values(vit, graph::random::key(0)));
    Value images = tracer.argument({f32, {3, 8, 12, 3}});
    EXPECT_EQ(vit.logits(ctx, images).type(), (ArrayType{f32, {3, 5}}));
    EXPECT_EQ(vit.features(ctx, images).dims(), (Dims{3, pooling == Pooling::first ? 7 : 6, 8}));
  }
}

}  // namespace
}  // namespace meshwright::models
