// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <iterator>
#include <span>

#include <unistd.h>

#include "meshwright/base/check.h"
#include "meshwright/base/json.h"
#include "meshwright/base/log.h"
#include "meshwright/cli/commands.h"
#include "meshwright/cli/job.h"
#include "meshwright/cli/live_text.h"
#include "meshwright/cli/load_run_config.h"
#include "meshwright/cli/prompts.h"
#include "meshwright/data/config/source_config.h"
#include "meshwright/train/offline/generator.h"

namespace meshwright::cli {
namespace {

using train::GeneratedText;
using Tokens = std::vector<std::int32_t>;

struct GenerateArgs {
  Args settings, prompts, stops;
  std::optional<std::string> system;
  std::optional<std::int64_t> step, top_k, num_beams, max_tokens, num_samples;
  std::optional<double> temperature, top_p;
  std::optional<std::int64_t> seed;
  std::int64_t batch = 16;
  bool greedy = false, as_json = false, is_chat = false;
  ClientArgs client;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Generates text with a run's newest checkpoint. Each continuation is one line of stdout, "
        "printed while it is generated.");
    parser.option("--prompt", prompts, {"TEXT"},
                  "prompt; may be repeated (default: lines of stdin)");
    parser.flag("--chat", is_chat,
                "prompts are conversations: JSON lists of messages with a role and a content");
    parser.option("--system", system, {"TEXT"},
                  "system message before every prompt, for data with a chat template");
    parser.option("--stop", stops, {"TEXT"},
                  "end continuations before this text or special token; may be repeated");
    parser.option("--max-tokens", max_tokens, {"N"}, "maximum length of a continuation");
    parser.flag("--greedy", greedy, "always pick the most likely token (default)");
    parser.option("--temperature", temperature, {"T"}, "sample with this temperature");
    parser.option("--top-k", top_k, {"K"}, "sample from the K most likely tokens");
    parser.option("--top-p", top_p, {"P"},
                  "sample from the most likely tokens whose probabilities sum to P");
    parser.option("--beams", num_beams, {"N"}, "beam search with N beams");
    parser.option("--num-samples", num_samples, {"N"}, "continuations per prompt");
    parser.option("--seed", seed, {"N"}, "seed for sampling");
    parser.option("--step", step, {"N"}, "use the checkpoint of this step (default: the newest)");
    parser.option("--batch", batch, {"N"}, "prompts per batch");
    client.declare(parser);
    parser.flag("--json", as_json,
                "print one object per continuation, with tokens and log probability");
    declare_run_config(parser, settings);
    parser.example("runs/arithmetic_lm --prompt 123+456=");
    parser.example("runs/chat --system 'Be brief.' --prompt 'Who are you?'");
    parser.example("runs/reverse_seq2seq --beams 4 --num-samples 2 --json < words.txt");
  }
  bool draws() const { return temperature || top_k || top_p; }
};

// The most sequences per batch.
constexpr std::int64_t kMostRows = 65536;

void check_args(const GenerateArgs& w) {
  MW_CHECK(!(w.greedy && (w.draws() || w.num_beams)),
           "generate: --greedy cannot be combined with --temperature, --top-k, --top-p or --beams");
  MW_CHECK(!(w.num_beams && w.draws()),
           "generate: --beams cannot be combined with --temperature, --top-k or --top-p");
  MW_CHECK(!w.seed || w.draws(),
           "generate: --seed has no effect without sampling\nto sample: --temperature 1");
  MW_CHECK(!w.temperature || *w.temperature > 0, "generate: --temperature ", *w.temperature,
           " is not positive");
  MW_CHECK(!w.top_k || *w.top_k > 0, "generate: --top-k ", *w.top_k, " is not positive");
  MW_CHECK(!w.top_p || (*w.top_p > 0 && *w.top_p <= 1), "generate: --top-p ", *w.top_p,
           " is not in (0, 1]");
  MW_CHECK(!w.num_beams || (*w.num_beams > 0 && *w.num_beams <= kMostRows), "generate: --beams ",
           *w.num_beams, " is not between 1 and ", kMostRows);
  MW_CHECK(!w.max_tokens || *w.max_tokens > 0, "generate: --max-tokens ", *w.max_tokens,
           " is not positive");
  MW_CHECK(w.batch > 0 && w.batch <= kMostRows, "generate: --batch ", w.batch,
           " is not between 1 and ", kMostRows);
  const std::int64_t num_samples = w.num_samples.value_or(1);
  MW_CHECK(num_samples > 0 && num_samples <= kMostRows, "generate: --num-samples ", num_samples,
           " is not between 1 and ", kMostRows);
  MW_CHECK(!w.num_beams || num_samples <= *w.num_beams, "generate: --num-samples ", num_samples,
           " exceeds --beams ", w.num_beams.value_or(0), "\nto search more beams: --beams ",
           num_samples);
  MW_CHECK(num_samples == 1 || w.draws() || w.num_beams,
           "generate: greedy continuations of a prompt are all equal\nto sample several: "
           "--temperature 1");
}

train::GenerateOptions options_of(const GenerateArgs& w, const data::TextCodec& codec) {
  constexpr std::int64_t kDefaultMaxTokens = 64;
  train::GenerateOptions out;
  out.max_tokens = w.max_tokens.value_or(codec.max_tokens.value_or(kDefaultMaxTokens));
  out.may_be_shorter = !w.max_tokens;
  out.end_tokens = end_tokens(codec, w.stops);
  out.temperature = w.temperature.value_or(w.draws() ? 1.0 : 0.0);
  out.top_k = w.top_k;
  out.top_p = w.top_p;
  out.num_beams = w.num_beams;
  return out;
}

// Throws invalid_argument if the task's model has no tokens.
void check_task(const TaskConfig& config) {
  std::visit(
      [](const auto& task) {
        constexpr bool has_tokens = requires {
          task.model.vocab;
        };
        MW_CHECK(has_tokens, "generate: the run does not model text: its task is ", task.kType,
                 "\nto evaluate it: meshwright eval RUN");
      },
      static_cast<const TaskChoice&>(config));
}

void print_json(const std::string& prompt, const std::string& text, const GeneratedText& made) {
  JsonWriter json;
  json.begin_object().field("prompt", prompt).field("text", text);
  json.key("tokens").begin_array();
  for (std::int32_t token : made.tokens)
    json.value(token);
  json.end_array().field("score", made.score).field("ended", made.has_ended).end_object();
  std::cout << json.str() << "\n";
}

Tokens tokens_of(const GenerateArgs& w, const data::TextCodec& codec, const std::string& prompt) {
  return encode_prompt(codec, {.is_chat = w.is_chat, .system = w.system}, prompt);
}

// Runs prompts through the model in batches and prints the continuations in order.
class Printer {
 public:
  Printer(const GenerateArgs& args, const data::TextCodec& codec, train::Generator& generator)
      : args_(args), codec_(codec), generator_(generator) {}

  void add(const std::string& prompt) {
    prompts_.push_back(prompt);
    if (std::ssize(prompts_) == args_.batch) flush();
  }

  void flush() {
    if (prompts_.empty()) return;
    // Beam search returns several alternatives; sampling needs one row per sample.
    const std::int64_t num_copies = args_.num_beams ? 1 : args_.num_samples.value_or(1);
    std::vector<Tokens> rows;
    for (const std::string& prompt : prompts_)
      rows.insert(rows.end(), static_cast<std::size_t>(num_copies),
                  tokens_of(args_, codec_, prompt));
    args_.as_json ? print_whole(rows, num_copies) : print_live(rows);
    std::cout.flush();
    prompts_.clear();
  }

 private:
  void print_whole(const std::vector<Tokens>& rows, std::int64_t num_copies) const {
    const auto made = generator_(rows);
    for (std::size_t row = 0; row < made.size(); ++row) {
      const std::string& prompt = prompts_[row / static_cast<std::size_t>(num_copies)];
      for (GeneratedText text : first_alternatives(made[row]))
        print_json(prompt, text_before(codec_, args_.stops, text), text);
    }
  }

  void print_live(const std::vector<Tokens>& rows) const {
    LiveLines lines(codec_, args_.stops,
                    [](const std::string& text) { std::cout << text << std::flush; });
    const auto made = generator_(
        rows, [&](const std::vector<GeneratedText>& texts) { return lines.show(texts); });
    std::vector<GeneratedText> texts;
    for (const std::vector<GeneratedText>& alternatives : made)
      std::ranges::copy(first_alternatives(alternatives), std::back_inserter(texts));
    lines.show(texts);
  }

  std::span<const GeneratedText> first_alternatives(const std::vector<GeneratedText>& all) const {
    const std::int64_t num_shown = args_.num_beams ? args_.num_samples.value_or(1) : 1;
    return std::span(all).first(static_cast<std::size_t>(num_shown));
  }

  const GenerateArgs& args_;
  const data::TextCodec& codec_;
  train::Generator& generator_;
  std::vector<std::string> prompts_;
};

int generate(GenerateArgs& args) {
  check_args(args);
  const RunConfig config = load_run_config("generate", args.settings);
  check_task(config.task);
  const data::RunData data = open_data(config, data::DataUse::spec_only);
  const data::TextCodec codec = data::text_codec(config.data, data);
  for (const std::string& prompt : args.prompts)
    tokens_of(args, codec, prompt);  // throws before anything is loaded
  runtime::Client client = open_client(config.mesh, args.client);
  const train::Job job = make_job(config, client.devices(), data);
  const train::TrainedModel model(job, client, args.step);
  log_info("the checkpoint of step ", model.step(), " in ", config.train.dir, "; prompts are ",
           codec.name);
  train::Generator generator(model, options_of(args, codec), args.seed.value_or(0));
  const bool is_typed = args.prompts.empty() && ::isatty(STDIN_FILENO) != 0;
  if (is_typed) args.batch = 1;
  Printer printer(args, codec, generator);
  for (const std::string& prompt : args.prompts)
    printer.add(prompt);
  std::string line;
  bool any = !args.prompts.empty();
  while (args.prompts.empty() && std::getline(std::cin, line)) {
    any = true;
    printer.add(line);
  }
  printer.flush();
  MW_CHECK(any || is_typed,
           "generate: no prompt: stdin is empty\ngive --prompt TEXT, or lines on stdin");
  return 0;
}

}  // namespace

CommandBody generate_command(const std::string& name) {
  return make_command<GenerateArgs>(name, generate);
}

}  // namespace meshwright::cli
