// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/offline/generator.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <span>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/error_with_remedy.h"
#include "meshwright/base/machine_memory.h"
#include "meshwright/base/threefry.h"
#include "meshwright/metrics/format.h"
#include "meshwright/train/offline/part_length.h"
#include "meshwright/train/report/pace.h"
#include "meshwright/train/step/generate_programs.h"

namespace meshwright::train {
namespace {

using Tokens = std::vector<std::int32_t>;

void check_prompts(const std::vector<Tokens>& prompts, std::optional<std::int64_t> num_tokens) {
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    MW_CHECK(!prompts[i].empty(), "generate: a prompt is empty");
    for (const std::int32_t token : prompts[i])
      MW_CHECK(!num_tokens || (token >= 0 && token < *num_tokens), "generate: token ", token,
               " of prompt ", i + 1, " is outside of the model's vocabulary of ", *num_tokens,
               " tokens, 0 to ", *num_tokens - 1);
  }
}

HostTensor padded(const std::vector<Tokens>& prompts, std::int64_t len) {
  HostTensor out(ArrayType{s32, {std::ssize(prompts), len}});
  auto values = out.mutable_values<std::int32_t>();
  for (std::size_t row = 0; row < prompts.size(); ++row)
    std::ranges::copy(prompts[row], values.begin() + static_cast<std::ptrdiff_t>(row) * len);
  return out;
}

HostTensor lengths_of(const std::vector<Tokens>& prompts) {
  Tokens out;
  for (const Tokens& prompt : prompts)
    out.push_back(static_cast<std::int32_t>(prompt.size()));
  return HostTensor::from(out, {std::ssize(out)});
}

HostTensor key_of(std::int64_t seed, std::uint32_t call) {
  threefry::KeyWords key = threefry::fold_in(threefry::key(seed), call);
  return HostTensor::from(std::vector<std::uint32_t>(key.begin(), key.end()), {2});
}

// A sequence of `ids` from `start` to before `stop`.
GeneratedText text_of(std::span<const std::int32_t> ids,
                      std::int64_t start,
                      std::int64_t stop,
                      float score,
                      const GenerateOptions& options) {
  const auto tokens =
      ids.subspan(static_cast<std::size_t>(start),
                  static_cast<std::size_t>(std::min(stop - start, options.max_tokens)));
  GeneratedText out{.tokens = {tokens.begin(), tokens.end()}, .score = score};
  out.has_ended =
      !out.tokens.empty() && std::ranges::count(options.end_tokens, out.tokens.back()) > 0;
  if (out.has_ended) out.tokens.pop_back();
  return out;
}

// Reads the results of trace_generate().
std::vector<std::vector<GeneratedText>> whole_texts(
    const std::vector<runtime::DeviceArray>& results, const GenerateOptions& options) {
  const HostTensor ids = results[0].to_host(), starts = results[1].to_host(),
                   lengths = results[2].to_host(), scores = results[3].to_host();
  const auto num_alternatives = static_cast<std::size_t>(lengths.dims()[1]);
  const auto len = static_cast<std::size_t>(ids.dims()[2]);
  std::vector<std::vector<GeneratedText>> out(starts.values<std::int32_t>().size());
  for (std::size_t row = 0; row < out.size(); ++row) {
    for (std::size_t i = 0; i < num_alternatives; ++i) {
      const std::size_t at = row * num_alternatives + i;
      out[row].push_back(text_of(
          ids.values<std::int32_t>().subspan(at * len, len), starts.values<std::int32_t>()[row],
          lengths.values<std::int32_t>()[at], scores.values<float>()[at], options));
    }
  }
  return out;
}

// Reads the results of trace_begin_generation() or trace_continue_generation().
std::vector<GeneratedText> texts_so_far(const std::vector<runtime::DeviceArray>& results,
                                        const std::vector<Tokens>& prompts,
                                        const GenerateOptions& options) {
  const HostTensor ids = results[0].to_host(), lengths = results[1].to_host(),
                   scores = results[2].to_host(), have_ended = results[3].to_host();
  const auto len = static_cast<std::size_t>(ids.dims()[1]);
  std::vector<GeneratedText> out;
  for (std::size_t row = 0; row < prompts.size(); ++row) {
    out.push_back(text_of(ids.values<std::int32_t>().subspan(row * len, len),
                          std::ssize(prompts[row]), lengths.values<std::int32_t>()[row],
                          scores.values<float>()[row], options));
    out.back().is_complete = have_ended.values<bool>()[row];
  }
  return out;
}

// On a CPU, exceeding the memory is not an error but kills this process, or others.
void check_memory(const runtime::Executable& executable,
                  const runtime::Client& client,
                  std::int64_t num_prompts,
                  std::int64_t max_tokens) {
  const auto memory = executable.memory();
  if (client.platform() != "cpu" || !memory) return;
  const std::int64_t needed = memory->argument_bytes + memory->output_bytes + memory->temp_bytes;
  const std::int64_t there = machine_memory_bytes();
  auto text = [](std::int64_t bytes) { return metrics::byte_count(static_cast<double>(bytes)); };
  if (needed <= there) return;
  fail_with_remedy(
      ErrorCode::invalid_argument,
      {RemedyKind::limit_tokens, "to generate fewer tokens", "GenerateOptions::max_tokens"},
      "generate: continuing ", num_prompts, " prompts by up to ", max_tokens, " tokens takes ",
      text(needed), " of memory, and this machine has ", text(there),
      "\nuse fewer prompts at a time or fewer beams");
}

void add_arguments(const runtime::Executable& program,
                   std::vector<runtime::DeviceArray>& args,
                   const std::vector<HostTensor>& values) {
  for (const HostTensor& value : values)
    args.push_back(program.put_argument(args.size(), value));
}

}  // namespace

std::int64_t padded_length(std::int64_t longest,
                           std::int64_t max_tokens,
                           std::optional<std::int64_t> max_positions) {
  constexpr std::uint64_t kLeast = 16;
  const auto len = static_cast<std::int64_t>(
      std::max(kLeast, std::bit_ceil(static_cast<std::uint64_t>(longest))));
  if (!max_positions) return len;
  const std::int64_t room = *max_positions - max_tokens;
  if (longest <= room) return std::min(len, room);
  const std::string cause = str("generate: a prompt of ", longest, " tokens and ", max_tokens,
                                " more exceed the model's ", *max_positions, " positions");
  if (longest >= *max_positions) fail(ErrorCode::invalid_argument, cause, "\nuse a shorter prompt");
  const std::string limit = str(*max_positions - longest);
  fail_with_remedy(ErrorCode::invalid_argument,
                   {RemedyKind::limit_tokens,
                    "to generate fewer tokens",
                    str("GenerateOptions::max_tokens ", limit),
                    {limit}},
                   cause);
}

std::int64_t continuation_length(std::int64_t longest,
                                 const GenerateOptions& options,
                                 std::optional<std::int64_t> max_positions) {
  if (!options.may_be_shorter || !max_positions) return options.max_tokens;
  return std::clamp(*max_positions - longest, std::int64_t{1}, options.max_tokens);
}

Generator::Generator(const TrainedModel& model, const GenerateOptions& options, std::int64_t seed)
    : model_(model), options_(options), seed_(seed) {
  MW_CHECK(options.max_tokens > 0, "generate: max_tokens is ", options.max_tokens,
           ", expected at least 1");
}

runtime::Executable Generator::compiled(const graph::Program& program, const Shape& shape) const {
  runtime::Executable out = model_.client().compile(program);
  check_memory(out, model_.client(), shape.num_rows, shape.max_tokens);
  return out;
}

Generator::Programs Generator::compiled(const Shape& shape) const {
  const TrainingSetup& setup = model_.setup();
  GenerateOptions options = options_;
  options.max_tokens = shape.max_tokens;
  if (!setup.task.generates_in_parts(options))
    return {compiled(trace_generate(setup, shape.num_rows, shape.len, options), shape), {}};
  const graph::Program begin = trace_begin_generation(setup, shape.num_rows, shape.len, options);
  return {compiled(begin, shape),
          compiled(trace_continue_generation(setup, begin, options), shape)};
}

const Generator::Programs& Generator::programs_for(const Shape& shape) {
  auto found = programs_.find(shape);
  if (found == programs_.end()) found = programs_.emplace(shape, compiled(shape)).first;
  return found->second;
}

std::vector<std::vector<GeneratedText>> Generator::operator()(const std::vector<Tokens>& prompts,
                                                              const WatchTexts& watch) {
  check_prompts(prompts, model_.setup().task.num_tokens());
  std::int64_t longest = 1;
  for (const Tokens& prompt : prompts)
    longest = std::max(longest, std::ssize(prompt));
  const std::optional<std::int64_t> max_positions = model_.setup().task.max_positions();
  const std::int64_t max_tokens = continuation_length(longest, options_, max_positions);
  const std::int64_t len = padded_length(longest, max_tokens, max_positions);
  const Programs& programs = programs_for({std::ssize(prompts), len, max_tokens});
  std::vector<runtime::DeviceArray> args = model_.params(/*use_ema=*/true);
  add_arguments(programs.first, args, {padded(prompts, len), lengths_of(prompts)});
  if (programs.next) return in_parts(programs, programs.first(std::move(args)), prompts, watch);
  add_arguments(programs.first, args, {key_of(seed_, num_calls_++)});
  return whole_texts(programs.first(std::move(args)), options_);
}

std::vector<std::vector<GeneratedText>> Generator::in_parts(const Programs& programs,
                                                            std::vector<runtime::DeviceArray> state,
                                                            const std::vector<Tokens>& prompts,
                                                            const WatchTexts& watch) {
  const HostTensor lengths = lengths_of(prompts), key = key_of(seed_, num_calls_++);
  PartLength part(/*is_watched=*/watch != nullptr);
  std::vector<GeneratedText> texts;
  for (bool goes_on = true; goes_on;) {
    const double began = steady_seconds();
    std::vector<runtime::DeviceArray> args = model_.params(/*use_ema=*/true);
    std::ranges::move(state, std::back_inserter(args));
    add_arguments(*programs.next, args,
                  {lengths, key, HostTensor::scalar<std::int32_t>(part.num_tokens())});
    state = (*programs.next)(std::move(args));
    texts = texts_so_far(state, prompts, options_);
    part.record(steady_seconds() - began);
    goes_on = !std::ranges::all_of(texts, &GeneratedText::is_complete) && (!watch || watch(texts));
  }
  std::vector<std::vector<GeneratedText>> out;
  for (GeneratedText& text : texts)
    out.push_back({std::move(text)});
  return out;
}

}  // namespace meshwright::train
