// SPDX-License-Identifier: Apache-2.0
// Rows of several documents: as good as a row for each document.
#include <cmath>

#include <gtest/gtest.h>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/sharding/global.h"
#include "meshwright/models/decoder_lm.h"
#include "meshwright/nn/losses.h"
#include "nn_testutil.h"

namespace meshwright::models {
namespace {

using nn::Argument;
using nn::HostTree;
using nn::Place;
using nn::ValueTree;

constexpr int kVocab = 48;

DecoderLmConfig small(DecoderLmConfig c) {
  c.vocab = kVocab;
  c.layers = 2;
  c.embed = 16;
  c.kv = 2;
  c.q = 2;
  c.dim = 8;
  c.mlp = 24;
  c.max_len = 16;
  return c;
}

std::vector<DecoderLmConfig> all_styles() {
  return {small(DecoderLmConfig::llama()), small(DecoderLmConfig::gpt2()),
          small(DecoderLmConfig::seqax())};
}

struct Packed {
  HostTensor segments, positions, weights;
};

/// Returns rows of these documents, by length, with padding after them. The last token of a
/// document has no weight.
Packed packed(const std::vector<std::vector<std::int64_t>>& rows, std::int64_t len) {
  const Dims dims = {std::ssize(rows), len};
  Packed out{HostTensor({s32, dims}), HostTensor({s32, dims}), HostTensor({f32, dims})};
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::size_t at = row * static_cast<std::size_t>(len);
    for (std::size_t document = 0; document < rows[row].size(); ++document) {
      for (std::int64_t i = 0; i < rows[row][document]; ++i, ++at) {
        out.segments.mutable_values<std::int32_t>()[at] = static_cast<std::int32_t>(document) + 1;
        out.positions.mutable_values<std::int32_t>()[at] = static_cast<std::int32_t>(i);
        out.weights.mutable_values<float>()[at] = i + 1 < rows[row][document] ? 1 : 0;
      }
    }
  }
  return out;
}

std::vector<Argument> arguments(const Packed& rows) {
  const Dims& dims = rows.segments.dims();
  HostTensor ids = nn::some_tokens({dims[0], dims[1] + 1}, kVocab);
  return {{ids, "batch len_and_one"},
          {rows.segments, "batch len"},
          {rows.positions, "batch len"},
          {rows.weights, "batch len"}};
}

/// Returns logits, and gradients of the sum of weighted losses of all sequences.
using Sequences = std::vector<LmInputs>;
std::vector<Value> logits_and_gradients(const DecoderLm& lm,
                                        const ValueTree& values,
                                        const Sequences& sequences,
                                        const std::vector<Value>& targets,
                                        const std::vector<Value>& weights) {
  auto loss = [&](const ValueTree& p) {
    nn::Context ctx(lm, p);
    autodiff::Loss out{graph::constant(0.0, f32), {}};
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      Value logits = lm.logits(ctx, sequences[i]);
      out.value = out.value +
                  graph::global_sum(nn::cross_entropy(logits, targets[i], {}) * weights[i]) / 20.0;
      out.aux["logits" + std::to_string(i)] = logits;
    }
    return out;
  };
  autodiff::LossAndGrad both = autodiff::value_and_grad(loss, values);
  std::vector<Value> out = {graph::concatenate(leaves(both.aux), 1)};
  for (Value gradient : leaves(both.gradients))
    out.push_back(gradient);
  return out;
}

std::vector<Value> of_packed(const DecoderLm& lm,
                             const ValueTree& values,
                             std::span<const Value> args) {
  return logits_and_gradients(
      lm, values,
      {{.ids = take_slice(args[0], 1, 0, -1), .segments = args[1], .positions = args[2]}},
      {take_slice(args[0], 1, 1)}, {args[3]});
}

// One sequence per document; the rows of the batch must have documents of the same lengths.
std::vector<Value> of_documents(const DecoderLm& lm,
                                const ValueTree& values,
                                std::span<const Value> args,
                                const std::vector<std::int64_t>& lengths) {
  Sequences sequences;
  std::vector<Value> targets, weights;
  std::int64_t at = 0;
  for (std::int64_t length : lengths) {
    sequences.push_back({.ids = take_slice(args[0], 1, at, at + length)});
    targets.push_back(take_slice(args[0], 1, at + 1, at + length + 1));
    weights.push_back(take_slice(args[3], 1, at, at + length));
    at += length;
  }
  return logits_and_gradients(lm, values, sequences, targets, weights);
}

std::vector<HostTensor> run_packed(const DecoderLmConfig& config,
                                   const HostTree& params,
                                   const std::vector<Argument>& args,
                                   const Place& place = {}) {
  DecoderLm lm(config);
  auto body = [&](const ValueTree& values, std::span<const Value> in) {
    return of_packed(lm, values, in);
  };
  return nn::run_module(lm, params, args, body, place);
}

TEST(PackedRows, EqualARowForEachDocument) {
  const std::vector<std::int64_t> lengths = {9, 14, 8};
  const std::vector<Argument> args = arguments(packed({lengths, lengths}, 31));
  for (DecoderLmConfig c : all_styles()) {
    const HostTree params = nn::made_up_values(DecoderLm(c));
    DecoderLm plain(c);
    auto separate = [&](const ValueTree& values, std::span<const Value> in) {
      return of_documents(plain, values, in, lengths);
    };
    const std::vector<HostTensor> expected =
        nn::run_module(plain, params, args, separate, {.use_kernels = false});
    for (bool use_kernels : {true, false})
      nn::expect_close(run_packed(c, params, args, {.use_kernels = use_kernels}), expected, 1e-5);
    c.remat = graph::keep_nothing();
    nn::expect_close(run_packed(c, params, args), expected, 1e-5);
  }
}

TEST(PackedRows, OnFourDevicesAreTheSameAsOnOne) {
  Place place{.mesh = mesh::Mesh({{"data", 2}, {"tensor", 2}}),
              .params = mesh::AxisRules({{"kv", {"tensor"}}, {"mlp", {"tensor"}}}),
              .activations =
                  mesh::AxisRules({{"batch", {"data"}}, {"kv", {"tensor"}}, {"mlp", {"tensor"}}})};
  const std::vector<Argument> args =
      arguments(packed({{9, 14, 8}, {4, 16}, {1, 2, 3, 4, 5, 6, 7}, {}}, 32));
  for (const DecoderLmConfig& c : all_styles()) {
    const HostTree params = nn::made_up_values(DecoderLm(c));
    place.use_kernels = !c.tied_embedding;  // both forms, each in a style
    nn::expect_close(run_packed(c, params, args, place), run_packed(c, params, args), 1e-5);
  }
}

// The gradient of the weighted loss by the rows of the embedding.
std::vector<double> table_gradient(const DecoderLmConfig& config,
                                   const std::vector<Argument>& args,
                                   bool use_kernels) {
  DecoderLm lm(config);
  auto body = [&](const ValueTree& values, std::span<const Value> in) {
    auto loss = [&](const ValueTree& p) {
      nn::Context ctx(lm, p);
      LmInputs inputs{.ids = take_slice(in[0], 1, 0, -1), .segments = in[1], .positions = in[2]};
      Value each = nn::cross_entropy(lm.logits(ctx, inputs), take_slice(in[0], 1, 1), {});
      return autodiff::Loss{graph::global_sum(each * in[3]), {}};
    };
    ValueTree gradients = autodiff::value_and_grad(loss, values).gradients;
    return std::vector{gradients.at("embedding/table").value()};
  };
  return nn::run_module(lm, nn::made_up_values(lm), args, body, {.use_kernels = use_kernels})[0]
      .to_doubles();
}

void expect_only_rows_before(std::size_t row, const std::vector<double>& table) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (i / 16 < row) {
      EXPECT_NE(table[i], 0) << i;
    } else if (i / 16 > row) {
      EXPECT_EQ(table[i], 0) << i;
    }
  }
}

// Documents have tokens of their own, so that the rows of the embedding tell them apart.
TEST(PackedRows, LossOfADocumentDoesNotDependOnOthers) {
  Packed rows = packed({{10, 13, 9}}, 32);
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < 33; ++i)
    ids.push_back(static_cast<std::int32_t>(i));
  for (std::size_t i = 10; i < 32; ++i)
    rows.weights.mutable_values<float>()[i] = 0;
  std::vector<Argument> args = arguments(rows);
  args[0].value = HostTensor::from(ids, {1, 33});
  for (DecoderLmConfig c : all_styles()) {
    c.tied_embedding = false;
    for (bool use_kernels : {true, false}) {
      expect_only_rows_before(9, table_gradient(c, args, use_kernels));
    }
  }
}

TEST(PackedRows, OfAnySegmentsAreFinite) {
  Packed rows = packed({{}, {32}, {}}, 32);
  auto segments = rows.segments.mutable_values<std::int32_t>();
  for (std::size_t i = 0; i < 32; ++i)
    segments[64 + i] = static_cast<std::int32_t>(i * i % 7) - 3;
  for (std::size_t i = 32; i < 64; ++i)
    rows.positions.mutable_values<std::int32_t>()[i] %= 16;
  const DecoderLmConfig c = small(DecoderLmConfig::llama());
  const HostTree params = nn::made_up_values(DecoderLm(c));
  for (bool use_kernels : {true, false}) {
    const auto results = run_packed(c, params, arguments(rows), {.use_kernels = use_kernels});
    for (const HostTensor& result : results)
      for (double x : result.to_doubles())
        ASSERT_TRUE(std::isfinite(x));
  }
}

}  // namespace
}  // namespace meshwright::models
