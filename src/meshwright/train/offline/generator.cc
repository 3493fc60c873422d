// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/offline/generator.h"

#include <algorithm>
#include <bit>

#include "meshwright/base/check.h"
#include "meshwright/base/error_with_remedy.h"
#include "meshwright/base/machine_memory.h"
#include "meshwright/base/threefry.h"
#include "meshwright/metrics/format.h"

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

// Results of one call on the host.
struct Read {
  HostTensor ids, starts, lengths, scores;

  GeneratedText text(std::int64_t row, std::int64_t alternative, const GenerateOptions& o) const {
    const std::int64_t at = row * lengths.dims()[1] + alternative;
    const auto index = static_cast<std::size_t>(at);
    const std::int32_t start = starts.values<std::int32_t>()[static_cast<std::size_t>(row)];
    const std::int32_t stop = lengths.values<std::int32_t>()[index];
    auto tokens = ids.values<std::int32_t>().subspan(
        static_cast<std::size_t>(at * ids.dims()[2] + start),
        static_cast<std::size_t>(std::min<std::int64_t>(stop - start, o.max_tokens)));
    GeneratedText out{.tokens = {tokens.begin(), tokens.end()},
                      .score = scores.values<float>()[index]};
    out.has_ended = o.end_token && !out.tokens.empty() && out.tokens.back() == *o.end_token;
    if (out.has_ended) out.tokens.pop_back();
    return out;
  }
};

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

const runtime::Executable& Generator::compiled(const Shape& shape) {
  auto found = executables_.find(shape);
  if (found == executables_.end()) {
    GenerateOptions options = options_;
    options.max_tokens = shape.max_tokens;
    graph::Program program = trace_generate(model_.setup(), shape.num_rows, shape.len, options);
    runtime::Executable executable = model_.client().compile(program);
    check_memory(executable, model_.client(), shape.num_rows, shape.max_tokens);
    found = executables_.emplace(shape, std::move(executable)).first;
  }
  return found->second;
}

std::vector<std::vector<GeneratedText>> Generator::operator()(const std::vector<Tokens>& prompts) {
  check_prompts(prompts, model_.setup().task.num_tokens());
  std::int64_t longest = 1;
  for (const Tokens& prompt : prompts)
    longest = std::max(longest, std::ssize(prompt));
  const std::optional<std::int64_t> max_positions = model_.setup().task.max_positions();
  const std::int64_t max_tokens = continuation_length(longest, options_, max_positions);
  const std::int64_t len = padded_length(longest, max_tokens, max_positions);
  const runtime::Executable& program = compiled({std::ssize(prompts), len, max_tokens});
  std::vector<runtime::DeviceArray> args = model_.params(/*use_ema=*/true);
  for (const HostTensor& value :
       {padded(prompts, len), lengths_of(prompts), key_of(seed_, num_calls_++)})
    args.push_back(program.put_argument(args.size(), value));
  std::vector<runtime::DeviceArray> results = program(std::move(args));
  const Read read{results[0].to_host(), results[1].to_host(), results[2].to_host(),
                  results[3].to_host()};
  std::vector<std::vector<GeneratedText>> out(prompts.size());
  for (std::int64_t row = 0; row < std::ssize(prompts); ++row) {
    for (std::int64_t alternative = 0; alternative < read.lengths.dims()[1]; ++alternative)
      out[static_cast<std::size_t>(row)].push_back(read.text(row, alternative, options_));
  }
  return out;
}

}  // namespace meshwright::train
