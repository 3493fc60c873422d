// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "meshwright/base/json.h"
#include "meshwright/base/log.h"
#include "meshwright/cli/commands.h"
#include "meshwright/cli/job.h"
#include "meshwright/cli/results.h"
#include "meshwright/cli/run_words.h"
#include "meshwright/train/trained_model.h"

namespace meshwright::cli {
namespace {

void print_json(const RunConfig& config, std::int64_t step, const train::Results& results) {
  JsonWriter json;
  json.begin_object().field("dir", config.dir).field("step", step);
  json.key("results").begin_object();
  for (const auto& [name, value] : results)
    json.field(name, static_cast<double>(static_cast<float>(value)));
  json.end_object().end_object();
  std::cout << json.str() << "\n";
}

}  // namespace

int run_eval(const Words& words) {
  ArgumentParser parser("eval",
                        "Evaluates a checkpoint of a run, the newest one, with all evaluators of "
                        "its config, and leaves the files that they leave in training. A run that "
                        "is training meanwhile is not disturbed.");
  Words settings, evaluators;
  std::optional<std::int64_t> step;
  bool as_json = false;
  ClientWords client_words;
  parser.option("--step", step, "N", "the checkpoint of this step");
  parser.option("--evaluator", evaluators, "NAME", "only this one; may be given several times");
  client_words.declare(parser);
  parser.flag("--json", as_json, "for programs");
  run_words(parser, settings);
  parser.example("runs/arithmetic_lm --step 1000");
  if (!parser.parse(words)) return 0;
  const RunConfig config = load_run_config("eval", settings);
  runtime::Client client = open_client(config.mesh, client_words);
  const train::Job job = make_job(config, client.devices());
  const train::TrainedModel model(job, client, step);
  note("evaluating the checkpoint of step ", model.step(), " in ", config.dir);
  const train::Results results = train::evaluate(job, model, evaluators);
  if (as_json) {
    print_json(config, model.step(), results);
  } else {
    print_results(results);
  }
  return 0;
}

}  // namespace meshwright::cli
