// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include <unistd.h>

#include "meshwright/base/check.h"
#include "meshwright/base/nearest.h"
#include "meshwright/cli/data_commands.h"
#include "meshwright/cli/job.h"
#include "meshwright/cli/load_run_config.h"
#include "meshwright/cli/row_printer.h"
#include "meshwright/data/config/source_config.h"
#include "meshwright/data/core/skipped_batches.h"
#include "meshwright/data/survey/row_view.h"

namespace meshwright::cli {
namespace {

constexpr char kName[] = "data show";

struct ShowArgs {
  Args config;
  std::optional<std::string> evaluator;
  std::int64_t step = 0;
  std::optional<std::int64_t> row;
  bool with_pieces = false, with_ids = false, as_json = false;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Prints a row of a batch as a run sees it: the documents it is made of, where they come "
        "from, their text, and what has no weight in the loss, dimmed or in [[brackets]]. Without "
        "--row, lists all rows of the batch. Any step takes equally long.");
    parser.option("--step", step, {"N"}, "the batch that step N to N + 1 trains on (default: 0)");
    parser.option("--row", row, {"N"}, "row of the batch, from 0 on");
    parser.option("--evaluator", evaluator, {"NAME"},
                  "a batch of this evaluator instead of a training batch");
    parser.flag("--pieces", with_pieces, "separate the text of tokens by bars");
    parser.flag("--ids", with_ids, "print a line per token: position, id, weight and text");
    parser.flag("--json", as_json, "print JSON");
    declare_run_config(parser, config);
    parser.example("runs/text --step 1000 --row 3");
    parser.example("configs/text.toml data.path=book.txt --evaluator held_out --row 0 --pieces");
  }

  RowStyle style() const {
    MW_CHECK(with_pieces + with_ids + as_json <= 1, kName,
             ": --pieces, --ids and --json cannot be combined");
    return as_json       ? RowStyle::json
           : with_ids    ? RowStyle::ids
           : with_pieces ? RowStyle::pieces
                         : RowStyle::text;
  }
};

const data::SourceConfig& data_of(const RunConfig& config, const ShowArgs& args) {
  if (!args.evaluator) return config.data;
  const auto found = config.train.evaluators.find(*args.evaluator);
  if (found != config.train.evaluators.end()) return found->second.data;
  std::vector<std::string> names;
  for (const auto& [name, evaluator] : config.train.evaluators)
    names.push_back(name);
  fail(ErrorCode::invalid_argument, kName, ": the config has no evaluator ", *args.evaluator,
       did_you_mean(*args.evaluator, names));
}

int show(const ShowArgs& args) {
  const RowStyle style = args.style();
  const RunConfig config = load_run_config(kName, args.config);
  const data::SourceConfig& wanted = data_of(config, args);
  const data::RunData data = open_data(config, data::DataUse::batches);
  const data::SourcePtr source =
      data::without(data::make_source(wanted, data), data::skipped_batches(wanted));
  // Evaluators share the tokens of the training data.
  RowPrinter printer(token_speller(config.data, data), style, ::isatty(STDOUT_FILENO) != 0);
  if (args.row) {
    printer.print(data::row_view(*source, args.step, *args.row));
  } else {
    printer.list(data::row_views(*source, args.step));
  }
  return 0;
}

}  // namespace

CommandBody show_data(const std::string& name) {
  return make_command<ShowArgs>(name, show);
}

}  // namespace meshwright::cli
