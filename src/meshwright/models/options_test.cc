// SPDX-License-Identifier: Apache-2.0
// Options and inputs of models have an effect. tests/nn compares the values.
#include <gtest/gtest.h>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/models/decoder_lm.h"
#include "meshwright/models/encoder_decoder.h"
#include "meshwright/models/vit.h"
#include "meshwright/nn/initial_values.h"

namespace meshwright::models {
namespace {

DecoderLmConfig small_lm() {
  return {.vocab = 8, .layers = 1, .embed = 4, .kv = 1, .q = 1, .dim = 4, .mlp = 8};
}

using Change = std::function<void(LmInputs&)>;

// Returns the program of the logits.
std::string logits_of(
    const DecoderLmConfig& config, const Change& change = [](LmInputs&) {}) {
  DecoderLm lm(config);
  graph::Tracer tracer;
  LmInputs inputs{.ids = tracer.argument({s32, {2, 3}})};
  change(inputs);
  nn::Ctx p(lm, nn::initial_values(lm, graph::random::key(0)));
  return write_stablehlo(tracer.finish({lm.logits(p, inputs)}));
}

TEST(DecoderLm, PositionsDependOnTheirOptions) {
  for (PositionKind kind : {PositionKind::rope, PositionKind::sincos}) {
    DecoderLmConfig config = small_lm();
    config.position = kind;
    DecoderLmConfig other = config;
    other.rope_max_timescale = 77;
    EXPECT_NE(logits_of(config), logits_of(other));
  }
  DecoderLmConfig neighbours = small_lm();
  neighbours.rope_pairs = nn::RopePairs::neighbours;
  EXPECT_NE(logits_of(small_lm()), logits_of(neighbours));
}

TEST(DecoderLm, EveryInputCounts) {
  const std::string plain = logits_of(small_lm());
  auto numbers = [](Dims dims) { return graph::constant(1, s32, std::move(dims)); };
  EXPECT_NE(logits_of(small_lm(), [&](LmInputs& in) { in.positions = numbers({3}); }), plain);
  EXPECT_NE(logits_of(small_lm(), [&](LmInputs& in) { in.segments = numbers({2, 3}); }), plain);
  EXPECT_NE(logits_of(small_lm(), [&](LmInputs& in) { in.prefix_len = numbers({2}); }), plain);
}

// Returns the program that draws the parameters.
std::string drawing(const nn::Module& model, const nn::InitRules& rules) {
  graph::Tracer tracer;
  nn::ValueTree values = nn::initial_values(model, graph::random::key(0), {.rules = rules});
  return write_stablehlo(tracer.finish(leaves(values)));
}

TEST(DecoderLm, Gpt2DrawsWhatAddsToTheStreamSmallerByTheRootOfTheirNumber) {
  DecoderLmConfig config = DecoderLmConfig::gpt2();
  config.layers = 8;  // 16 residual branches
  config.vocab = 16;
  config.embed = config.mlp = 8;
  DecoderLm lm(config);
  EXPECT_EQ(drawing(lm, {}), drawing(lm, {{Regex(".*/(w_o|w_down)"), nn::normal(0.02 / 4)},
                                          {Regex(".*/w_.*|embedding/table"), nn::normal(0.02)},
                                          {Regex("position/table"), nn::normal(0.01)}}));
}

TEST(EncoderDecoder, T5SmallHasEightLayersEach) {
  const EncoderDecoderConfig small = EncoderDecoderConfig::t5_1_1_small();
  EXPECT_EQ(small.encoder_layers, 8);
  EXPECT_EQ(small.decoder_layers, 8);
}

// As in T5, an embedding element is dropped along the whole sequence.
TEST(EncoderDecoder, DropsTheSameOfEveryEmbeddingInASequence) {
  EncoderDecoderConfig config{.vocab = 8, .embed = 4, .heads = 1, .dim = 6, .mlp = 6};
  config.encoder_layers = config.decoder_layers = 1;
  config.dropout = 0.5;
  EncoderDecoder model(config);
  graph::Tracer tracer;
  nn::Ctx p(model, nn::initial_values(model, graph::random::key(0)),
            {.is_training = true, .key = graph::random::key(1)});
  const Value ids = tracer.argument({s32, {2, 3}});
  const Value out = model.logits(p, ids, model.encoded(p, ids));
  const std::string text = write_stablehlo(tracer.finish({out}));
  std::size_t num_shared = 0;
  for (std::size_t at = 0;
       (at = text.find("tensor<2x1x4xi1>) -> tensor<2x3x4xi1>", at)) != text.npos; ++at)
    ++num_shared;
  EXPECT_EQ(num_shared, 2U) << text;
}

TEST(Vit, LogitsAreWideInNarrowComputation) {
  VitConfig config{.height = 4, .width = 4, .patch = 2, .classes = 3, .layers = 1, .embed = 8};
  config.heads = 2;
  config.mlp = 8;
  Vit vit(config);
  graph::Tracer tracer;
  nn::Ctx p(vit, nn::initial_values(vit, graph::random::key(0)), {.compute_dtype = bf16});
  EXPECT_EQ(vit.logits(p, tracer.argument({f32, {1, 4, 4, 3}})).dtype(), f32);
}

}  // namespace
}  // namespace meshwright::models
