// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "meshwright/base/counted.h"
#include "meshwright/cli/corpora.h"
#include "meshwright/cli/data_commands.h"
#include "meshwright/cli/print_statistics.h"
#include "meshwright/cli/progress_line.h"
#include "meshwright/data/survey/corpus_statistics.h"

namespace meshwright::cli {
namespace {

constexpr char kName[] = "data stats";

struct StatsArgs {
  CorpusArgs corpus;
  bool as_json = false;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Reads the training data once, text or tokens, and prints numbers of documents, bytes, "
        "tokens and duplicates for each file, the lengths of documents, the share that is held out "
        "and the padding of rows; of a mixture, for each part and in total. Writes no cache.");
    parser.flag("--json", as_json, "print JSON");
    declare_corpus(parser, corpus);
    parser.example("configs/text.toml data.path=book.txt");
    parser.example(
        "corpus/*.jsonl.zst --tokenizer tokenizer.json data.rows=packed data.length=1024");
    parser.example("shards --format megatron data.length=1024");
  }
};

data::CorpusStatistics statistics_of(const Corpus& corpus, ProgressLine& line) {
  data::SurveyOptions options = {.seed = corpus.seed,
                                 .num_threads = corpus.num_threads(),
                                 .progress = [&](const data::SurveyProgress& progress) {
                                   line.show([&] {
                                     return str(counted(progress.num_documents, "document"), ", ",
                                                counted(progress.num_tokens, "token"), "; ",
                                                progress.file);
                                   });
                                 }};
  return std::visit(
      [&](const auto& config) { return corpus_statistics(config, corpus.tokenizer, options); },
      corpus.config);
}

int print_statistics(const StatsArgs& args) {
  const Corpora corpora = open_corpora(kName, args.corpus);
  std::vector<SurveyedCorpus> found;
  {
    ProgressLine line;
    for_each_corpus(corpora, [&](const Corpus& corpus) {
      found.push_back({corpus, statistics_of(corpus, line)});
    });
  }
  args.as_json ? print_statistics_json(found, corpora.mixture)
               : print_statistics_text(found, corpora.mixture);
  return 0;
}

}  // namespace

CommandBody print_data_statistics(const std::string& name) {
  return make_command<StatsArgs>(name, print_statistics);
}

}  // namespace meshwright::cli
