// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "meshwright/base/json.h"
#include "meshwright/base/log.h"
#include "meshwright/cli/commands.h"
#include "meshwright/cli/job.h"
#include "meshwright/cli/load_run_config.h"
#include "meshwright/cli/results.h"
#include "meshwright/train/offline/trained_model.h"

namespace meshwright::cli {
namespace {

void print_json(const RunConfig& config, std::int64_t step, const train::Results& results) {
  JsonWriter json;
  json.begin_object().field("dir", config.train.dir).field("step", step);
  json.key("results").begin_object();
  for (const auto& [name, value] : results)
    json.field(name, static_cast<double>(static_cast<float>(value)));
  json.end_object().end_object();
  std::cout << json.str() << "\n";
}

// --method: evaluates the config's data by one method instead of running the evaluators.
struct MethodArgs {
  std::optional<std::string> method;
  std::optional<std::int64_t> num_batches;

  void declare(ArgumentParser& parser) {
    parser.option("--method", method, {"NAME"},
                  "evaluate the config's data (data.type=...) with this method of the task instead "
                  "of running the evaluators");
    parser.option("--num-batches", num_batches, {"N"}, "with --method: maximum number of batches");
  }

  void apply(RunConfig& config, const Args& evaluators) const {
    MW_CHECK(method || !num_batches, "eval: --num-batches requires --method");
    if (!method) return;
    MW_CHECK(evaluators.empty(), "eval: --method cannot be combined with --evaluator");
    MW_CHECK(!num_batches || *num_batches > 0, "eval: --num-batches ", *num_batches,
             " is not positive");
    // Training text is evaluated on its held-out part.
    data::SourceConfig data = config.data;
    if (const auto* text = std::get_if<data::TextConfig>(&config.data))
      data = data::HeldOutTextConfig{.batch_size = text->batch_size};
    if (const auto* tokens = std::get_if<data::TokensConfig>(&config.data))
      data = data::HeldOutTextConfig{.batch_size = tokens->batch_size};
    if (const auto* mixture = std::get_if<data::MixtureConfig>(&config.data))
      data = data::HeldOutTextConfig{.batch_size = mixture->batch_size};
    config.train.evaluators = {
        {"eval", {.method = *method, .num_batches = num_batches, .data = data}}};
  }

  void check(const train::Job& job) const {
    const bool is_endless = method && !job.eval_sources.at("eval")->num_batches();
    MW_CHECK(!is_endless || num_batches, "eval: the data '", job.source->name(),
             "' is endless\nlimit it: --num-batches N");
    if (!job.config.evaluators.empty()) return;
    std::vector<std::string> methods;
    for (const auto& [name, known] : job.task->eval_methods())
      methods.push_back(name);
    fail(ErrorCode::invalid_argument,
         "eval: the config has no evaluators\nname a method of its task and the data: --method ",
         join(methods, "|"), " data.type=...");
  }
};

struct EvalArgs {
  Args config, evaluators;
  std::optional<std::int64_t> step;
  bool as_json = false;
  MethodArgs method;
  ClientArgs client;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Evaluates a run's newest checkpoint with all evaluators of its config and writes the "
        "files that a run writes when it evaluates. It is safe to use while the run is training.");
    parser.option("--step", step, {"N"}, "evaluate the checkpoint of this step");
    parser.option("--evaluator", evaluators, {"NAME"}, "run only this evaluator; may be repeated");
    method.declare(parser);
    client.declare(parser);
    parser.flag("--json", as_json, "print JSON");
    declare_run_config(parser, config);
    parser.example("runs/arithmetic_lm --step 1000");
    parser.example("runs/arithmetic_lm --method loss data.type=held_out_arithmetic");
  }
};

int evaluate(const EvalArgs& args) {
  RunConfig config = load_run_config("eval", args.config);
  args.method.apply(config, args.evaluators);
  runtime::Client client = open_client(config.mesh, args.client);
  const train::Job job =
      make_job(config, client.devices(), open_data(config, data::DataUse::evaluation));
  args.method.check(job);
  const train::TrainedModel model(job, client, args.step);
  log_info("evaluating the checkpoint of step ", model.step(), " in ", config.train.dir);
  const train::Results results = train::evaluate(job, model, args.evaluators);
  if (args.as_json) {
    print_json(config, model.step(), results);
  } else {
    print_results(results);
  }
  return 0;
}

}  // namespace

CommandBody eval_command(const std::string& name) {
  return make_command<EvalArgs>(name, evaluate);
}

}  // namespace meshwright::cli
