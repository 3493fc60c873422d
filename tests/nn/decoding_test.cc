// SPDX-License-Identifier: Apache-2.0
#include "meshwright/models/decoding.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/models/decoder_lm.h"
#include "meshwright/runtime/client.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "nn_testutil.h"

namespace meshwright::models {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kVocab = 5;

// The next token depends on the last token and on the sum of all before, which is kept in the
// cache.
struct Memory {
  HostTensor table = nn::some_floats({kVocab, kVocab, kVocab}, 3);  // sum, last, next

  DecodeModel model(Value values, std::int64_t rows) const {
    auto step = [values](Value ids, Value at, std::vector<Value>& cache) {
      std::vector<Value> logits;
      for (std::int64_t i = 0; i < ids.dim(1); ++i) {
        Value last = take_index(ids, 1, i);
        Value before = dynamic_slice_in_dim(squeeze(cache[0], {0}), 1, at + i, 1);
        Value cell = squeeze(before, {1}) * kVocab + last;
        logits.push_back(take(reshape(values, {kVocab * kVocab, kVocab}), cell));
        Value sum = remainder(squeeze(before, {1}) + last, kVocab);
        cache[0] = dynamic_update_slice(cache[0], expand_dims(sum, {0, 2}), {0, 0, at + i + 1});
      }
      return graph::stack(logits, 1);
    };
    return {step, {graph::constant(0, s32, {1, rows, 16})}};
  }

  std::vector<double> log_probs(const std::vector<std::int32_t>& ids) const {
    std::vector<double> all = table.to_doubles(), out;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i)
      sum = (sum + ids[i]) % kVocab;
    double total = 0;
    for (std::int64_t next = 0; next < kVocab; ++next) {
      auto at = static_cast<std::size_t>((sum * kVocab + ids.back()) * kVocab + next);
      out.push_back(all[at]);
      total += std::exp(all[at]);
    }
    for (double& x : out)
      x -= std::log(total);
    return out;
  }
};

const HostTensor kPrompts = HostTensor::from<std::int32_t>({1, 2, 3, 4, 0, 0}, {2, 3});
const HostTensor kLengths = HostTensor::from<std::int32_t>({3, 1}, {2});

// Returns the results for each seed.
std::vector<std::vector<HostTensor>> run_samples(const SampleOptions& options,
                                                 const std::vector<std::int32_t>& seeds,
                                                 const Memory& memory = {}) {
  graph::Tracer tracer;
  Value prompts = tracer.argument(kPrompts.type());
  Value lengths = tracer.argument(kLengths.type());
  Value table = tracer.argument(memory.table.type());
  graph::random::Key key = graph::random::key(tracer.argument({s32, {}}));
  Decoded out = sample(memory.model(table, 2), prompts, lengths, options, key);
  auto program =
      runtime::test_client().compile(tracer.finish({out.ids, out.lengths, out.log_probs}));
  std::vector<std::vector<HostTensor>> all;
  for (std::int32_t seed : seeds)
    all.push_back(run(program, {kPrompts, kLengths, memory.table, HostTensor::scalar(seed)}));
  return all;
}

std::vector<HostTensor> run_sample(const SampleOptions& options) {
  return run_samples(options, {0})[0];
}

std::vector<std::int32_t> row(const HostTensor& ids, std::size_t i) {
  auto all = ids.values<std::int32_t>();
  auto len = static_cast<std::size_t>(ids.dims().back());
  return {all.begin() + static_cast<std::ptrdiff_t>(i * len),
          all.begin() + static_cast<std::ptrdiff_t>((i + 1) * len)};
}

struct Expected {
  std::vector<std::int32_t> ids;
  double log_prob = 0;
};

Expected greedy_by_hand(std::vector<std::int32_t> ids, std::size_t len) {
  Expected out{std::move(ids), 0};
  while (out.ids.size() < len) {
    std::vector<double> next = Memory().log_probs(out.ids);
    auto best = std::max_element(next.begin(), next.end());
    out.log_prob += *best;
    out.ids.push_back(static_cast<std::int32_t>(best - next.begin()));
  }
  return out;
}

TEST(Sample, GreedyIsTheLikeliestTokenOfEachStep) {
  std::vector<HostTensor> out = run_sample({{.max_len = 8}, 0.0});
  Expected first = greedy_by_hand({1, 2, 3}, 8), second = greedy_by_hand({4}, 8);
  EXPECT_EQ(row(out[0], 0), first.ids);
  EXPECT_EQ(row(out[0], 1), second.ids);
  EXPECT_NEAR(out[2].to_doubles()[0], first.log_prob, 1e-5);
  EXPECT_NEAR(out[2].to_doubles()[1], second.log_prob, 1e-5);
}

TEST(Sample, IsTheSameInParts) {
  const Memory memory;
  const SampleOptions options{{.max_len = 12, .max_tokens = 7, .end_tokens = {2}}, 1.5};
  graph::Tracer tracer;
  Value prompts = tracer.argument(kPrompts.type());
  Value lengths = tracer.argument(kLengths.type());
  const DecodeModel model = memory.model(tracer.argument(memory.table.type()), 2);
  const graph::random::Key key = graph::random::key(tracer.argument({s32, {}}));
  Sampling sampling = begin_sampling(model, prompts, lengths, options);
  for (const int until : {2, 3, 7, 100})
    sampling =
        continue_sampling(model, sampling, lengths, options, key, graph::constant(until, s32));
  const auto program = runtime::test_client().compile(
      tracer.finish({sampling.ids, sampling.lengths, sampling.log_probs, sampling.has_ended}));
  const std::vector<std::int32_t> seeds = {0, 1, 2, 3};
  const std::vector<std::vector<HostTensor>> whole = run_samples(options, seeds);
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    const auto parts =
        run(program, {kPrompts, kLengths, memory.table, HostTensor::scalar(seeds[i])});
    for (std::size_t array = 0; array < 3; ++array)
      EXPECT_EQ(parts[array].to_doubles(), whole[i][array].to_doubles());
    EXPECT_EQ(parts[3].to_doubles(), (std::vector<double>{1, 1}));
  }
}

TEST(Sample, StopsAtTheFirstOfSeveralEndTokens) {
  const Expected all = greedy_by_hand({4}, 8);
  for (const std::vector<std::int32_t>& ends :
       {std::vector{all.ids[2], all.ids[4]}, std::vector{all.ids[5], all.ids[3]}}) {
    const auto first =
        std::find_first_of(all.ids.begin() + 1, all.ids.end(), ends.begin(), ends.end());
    std::vector<HostTensor> out = run_sample({{.max_len = 8, .end_tokens = ends}, 0.0});
    EXPECT_EQ(out[1].values<std::int32_t>()[1], first - all.ids.begin() + 1);
  }
}

TEST(Sample, StopsAtTheEndTokenAndPads) {
  Expected all = greedy_by_hand({4}, 8);
  std::int32_t end = all.ids[3];
  auto first = std::find(all.ids.begin() + 1, all.ids.end(), end) - all.ids.begin();
  std::vector<HostTensor> out =
      run_sample({{.max_len = 8, .end_tokens = {end}, .pad_token = -1}, 0.0});
  EXPECT_EQ(out[1].values<std::int32_t>()[1], first + 1);
  std::vector<std::int32_t> expected(8, -1);
  std::copy_n(all.ids.begin(), first + 1, expected.begin());
  EXPECT_EQ(row(out[0], 1), expected);
}

TEST(Sample, WithOneCandidateIsGreedy) {
  std::vector<HostTensor> greedy = run_sample({{.max_len = 8}, 0.0});
  EXPECT_EQ(run_sample({{.max_len = 8}, 1.0, 1})[0].to_doubles(), greedy[0].to_doubles());
  EXPECT_EQ(run_sample({{.max_len = 8}, 1.0, {}, 1e-6})[0].to_doubles(), greedy[0].to_doubles());
}

TEST(Sample, DrawsByTheKeyAndOnlyFromTheCandidates) {
  auto all = run_samples({{.max_len = 8}, 2.0, 2}, {1, 1, 2, 3});
  EXPECT_EQ(all[0][0].to_doubles(), all[1][0].to_doubles());
  bool is_greedy = true;
  for (const std::vector<HostTensor>& out : all) {
    std::vector<std::int32_t> ids = row(out[0], 1);
    is_greedy = is_greedy && ids == greedy_by_hand({4}, 8).ids;
    for (auto end = ids.begin() + 1; end != ids.end(); ++end) {
      std::vector<double> next = Memory().log_probs({ids.begin(), end});
      double own = next[static_cast<std::size_t>(*end)];
      EXPECT_LE(std::count_if(next.begin(), next.end(), [&](double x) { return x > own; }), 1);
    }
  }
  EXPECT_FALSE(is_greedy);
}

TEST(Sample, TopPKeepsTheFewestThatReachIt) {
  // The second most likely token of the first step crosses the bound; the third is beyond it.
  std::vector<double> next = Memory().log_probs({4});
  std::vector<double> sorted = next;
  std::sort(sorted.rbegin(), sorted.rend());
  double top_p = std::exp(sorted[0]) + std::exp(sorted[1]) / 2;
  std::vector<std::int32_t> seeds(40);
  std::iota(seeds.begin(), seeds.end(), 0);
  std::vector<int> seen(kVocab);
  for (const auto& out : run_samples({{.max_len = 3}, 1.0, {}, top_p}, seeds))
    ++seen[static_cast<std::size_t>(row(out[0], 1)[1])];
  for (std::size_t token = 0; token < kVocab; ++token)
    EXPECT_EQ(seen[token] > 0, next[token] >= sorted[1]) << token;
}

// With equally likely tokens, only the keys make a difference.
TEST(Sample, DrawsEachTokenAnew) {
  const Memory indifferent{HostTensor(ArrayType{f32, {kVocab, kVocab, kVocab}})};
  const auto out = run_samples({{.max_len = 15}, 1.0}, {0, 1, 2}, indifferent);
  for (const std::vector<HostTensor>& result : out) {
    std::vector<std::int32_t> drawn = row(result[0], 1);
    drawn.erase(drawn.begin());  // the prompt
    EXPECT_GT(std::set(drawn.begin(), drawn.end()).size(), 2U) << testing::PrintToString(drawn);
  }
}

TEST(Sample, RefusesWhatMakesNoSense) {
  graph::Tracer tracer;
  Value prompts = tracer.argument(kPrompts.type()), lengths = tracer.argument(kLengths.type());
  Memory memory;
  DecodeModel model = memory.model(tracer.argument(memory.table.type()), 2);
  auto message = [&](const SampleOptions& options) {
    return message_of([&] { sample(model, prompts, lengths, options); });
  };
  EXPECT_THAT(message({{.max_len = 2}, 0.0}), HasSubstr("max_len is 2"));
  EXPECT_THAT(message({{.max_len = 8}, 1.0}), HasSubstr("needs a key"));
  EXPECT_THAT(message({{.max_len = 8}, 0.0, 0}), HasSubstr("top_k is 0"));
  EXPECT_THAT(message({{.max_len = 8}, 0.0, {}, 1.5}), HasSubstr("top_p is 1.5"));
}

std::vector<HostTensor> run_beams(const BeamOptions& options) {
  Memory memory;
  graph::Tracer tracer;
  Value prompts = tracer.argument(kPrompts.type());
  Value lengths = tracer.argument(kLengths.type());
  Value table = tracer.argument(memory.table.type());
  Beams out = beam_search(memory.model(table, 2 * options.num_beams), prompts, lengths, options);
  auto program = runtime::test_client().compile(tracer.finish({out.ids, out.lengths, out.scores}));
  return run(program, {kPrompts, kLengths, memory.table});
}

// Returns the best of all continuations by exhaustive search.
Expected best_by_hand(
    const Expected& start, std::size_t prompt, std::size_t len, std::int32_t end, double alpha) {
  auto score = [&](const Expected& e) {
    double num_new = static_cast<double>(e.ids.size() - prompt);
    return e.log_prob / std::pow((5 + num_new) / 6, alpha);
  };
  if (start.ids.size() == len || (start.ids.size() > prompt && start.ids.back() == end)) {
    Expected out = start;
    out.log_prob = score(start);
    return out;
  }
  Expected best{{}, -1e30};
  std::vector<double> next = Memory().log_probs(start.ids);
  for (std::int32_t token = 0; token < kVocab; ++token) {
    Expected grown = start;
    grown.ids.push_back(token);
    grown.log_prob += next[static_cast<std::size_t>(token)];
    Expected found = best_by_hand(grown, prompt, len, end, alpha);
    if (found.log_prob > best.log_prob) best = found;
  }
  return best;
}

TEST(BeamSearch, WithManyBeamsFindsTheBestOfAll) {
  constexpr std::size_t kLen = 5;
  std::vector<HostTensor> out =
      run_beams({{.max_len = kLen, .end_tokens = {2}, .pad_token = 0}, 130, 0.8});
  for (std::size_t i : {0u, 1u}) {
    std::vector<std::int32_t> prompt = i == 0 ? std::vector{1, 2, 3} : std::vector{4};
    Expected best = best_by_hand({prompt, 0}, prompt.size(), kLen, 2, 0.8);
    auto first_beam = row(out[0], i * 130);
    first_beam.resize(best.ids.size());
    EXPECT_EQ(first_beam, best.ids);
    EXPECT_NEAR(out[2].to_doubles()[i * 130], best.log_prob, 1e-5);
    EXPECT_EQ(out[1].values<std::int32_t>()[i * 130], std::ssize(best.ids));
  }
}

TEST(BeamSearch, WithOneBeamIsGreedy) {
  std::vector<HostTensor> out = run_beams({{.max_len = 8}, 1, 0.6});
  EXPECT_EQ(row(out[0], 0), greedy_by_hand({1, 2, 3}, 8).ids);
  EXPECT_EQ(row(out[0], 1), greedy_by_hand({4}, 8).ids);
}

struct Found {
  std::vector<std::int32_t> ids;
  double log_prob = 0;
  double score = 0;
};

void keep_best(std::vector<Found>& found, std::size_t count, double Found::*by) {
  std::sort(found.begin(), found.end(),
            [by](const Found& a, const Found& b) { return a.*by > b.*by; });
  found.resize(std::min(found.size(), count));
}

// Beam search of one prompt, with lists instead of arrays and without early termination.
std::vector<Found> beams_by_hand(const std::vector<std::int32_t>& prompt,
                                 const BeamOptions& options) {
  auto score = [&](const Found& found) {
    const auto num_new = static_cast<double>(found.ids.size() - prompt.size());
    return found.log_prob / std::pow((5 + num_new) / 6, options.length_alpha);
  };
  const auto beams = static_cast<std::size_t>(options.num_beams);
  const std::vector<std::int32_t>& ends = options.end_tokens;
  std::vector<Found> live = {{prompt}}, ended;
  for (auto len = std::ssize(prompt); len < options.max_len; ++len) {
    std::vector<Found> grown;
    for (const Found& from : live) {
      std::vector<double> next = Memory().log_probs(from.ids);
      for (std::int32_t token = 0; token < kVocab; ++token) {
        Found to = from;
        to.ids.push_back(token);
        to.log_prob += next[static_cast<std::size_t>(token)];
        to.score = score(to);
        grown.push_back(to);
      }
    }
    keep_best(grown, (1 + std::max<std::size_t>(1, ends.size())) * beams, &Found::log_prob);
    live.clear();
    for (const Found& found : grown)
      (std::ranges::count(ends, found.ids.back()) > 0 ? ended : live).push_back(found);
    keep_best(ended, beams, &Found::score);
    keep_best(live, beams, &Found::log_prob);
  }
  ended.insert(ended.end(), live.begin(), live.end());
  keep_best(ended, beams, &Found::score);
  return ended;
}

TEST(BeamSearch, WithFewBeamsFindsWhatListsFind) {
  for (const BeamOptions& options :
       std::vector<BeamOptions>{{{.max_len = 9, .end_tokens = {2}, .pad_token = -1}, 3, 0.6},
                                {{.max_len = 9, .end_tokens = {1}, .pad_token = -1}, 2, 0.0},
                                {{.max_len = 12, .end_tokens = {0}, .pad_token = -1}, 4, 2.0},
                                {{.max_len = 9, .end_tokens = {0, 2, 3}, .pad_token = -1}, 3, 0.6},
                                {{.max_len = 6, .pad_token = -1}, 3, 1.0}}) {
    std::vector<HostTensor> out = run_beams(options);
    const auto beams = static_cast<std::size_t>(options.num_beams);
    for (std::size_t i : {0U, 1U}) {
      auto wanted = beams_by_hand(i == 0 ? std::vector{1, 2, 3} : std::vector{4}, options);
      ASSERT_EQ(wanted.size(), beams);
      for (std::size_t beam = 0; beam < beams; ++beam) {
        const std::size_t at = i * beams + beam;
        EXPECT_EQ(out[1].values<std::int32_t>()[at], std::ssize(wanted[beam].ids)) << at;
        wanted[beam].ids.resize(static_cast<std::size_t>(options.max_len), -1);
        EXPECT_EQ(row(out[0], at), wanted[beam].ids) << at;
        EXPECT_NEAR(out[2].to_doubles()[at], wanted[beam].score, 1e-5) << at;
      }
    }
  }
}

TEST(Sample, ADecoderLmWithACacheAsWithout) {
  DecoderLmConfig c{.vocab = 16, .layers = 2, .embed = 8, .kv = 1, .q = 2, .dim = 4, .mlp = 8};
  DecoderLm lm(c);
  nn::HostTree params = nn::made_up_values(lm);
  auto body = [&](const nn::ValueTree& values, std::span<const Value> args) {
    nn::Context ctx(lm, values);
    SampleOptions options{{.max_len = 9}, 0.0};
    Decoded cached = sample(lm.decode_model(ctx, 2, 9), args[0], args[1], options);
    // Without a cache: keeps the ids themselves.
    auto step = [&](Value ids, Value at, std::vector<Value>& kept) {
      kept[0] = dynamic_update_slice(kept[0], expand_dims(ids, {0}), {0, 0, at});
      Value all = lm.logits(ctx, {.ids = squeeze(kept[0], {0})});
      return dynamic_slice_in_dim(all, 1, at, ids.dim(1));
    };
    DecodeModel plain{step, {graph::constant(0, s32, {1, 2, 9})}};
    Decoded recomputed = sample(plain, args[0], args[1], options);
    return std::vector{cached.ids, cached.log_probs, recomputed.ids, recomputed.log_probs};
  };
  std::vector<HostTensor> out =
      nn::run_module(lm, params, {{kPrompts, "batch len"}, {kLengths, "batch"}}, body);
  EXPECT_EQ(out[0].to_doubles(), out[2].to_doubles());
  nn::expect_close({out[1]}, {out[3]}, 1e-5);
}

}  // namespace
}  // namespace meshwright::models
