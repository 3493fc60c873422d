// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "meshwright/base/check.h"
#include "meshwright/base/counted.h"
#include "meshwright/base/json.h"
#include "meshwright/cli/corpora.h"
#include "meshwright/cli/data_commands.h"
#include "meshwright/cli/exit_code.h"
#include "meshwright/cli/json_tokens.h"
#include "meshwright/cli/progress_line.h"
#include "meshwright/data/survey/verify_corpus.h"
#include "meshwright/tokenizers/display/token_text.h"

namespace meshwright::cli {
namespace {

using data::CorpusFlaw;
using data::VerifiedCorpus;
using tokenizers::escaped;

constexpr char kName[] = "data verify";

struct VerifyArgs {
  CorpusArgs corpus;
  std::int64_t limit = 100;
  bool as_json = false;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Reads all of the training data, text or tokens, and its token cache, and lists what is "
        "damaged with its place, and tokens that the model lacks. Checks each part of a mixture. "
        "Exit code 1 if it finds a flaw, 3 if a file cannot be read.");
    parser.option("--limit", limit, {"N"}, "number of flaws to list (default: 100)");
    parser.flag("--json", as_json, "print JSON");
    declare_corpus(parser, corpus);
    parser.example("configs/text.toml data.path=corpus/*.jsonl");
    parser.example("'corpus/*.jsonl.zst' --field body --json");
    parser.example("'shards/*.bin' --format llmc data.vocab=50257");
  }
};

// The findings in a corpus.
struct VerifiedPart {
  std::string name;  // of a part of a mixture; otherwise empty
  VerifiedCorpus found;
};

std::vector<VerifiedPart> verify_corpora(const Corpora& all, std::int64_t max_flaws) {
  std::vector<VerifiedPart> out;
  ProgressLine line;
  for_each_corpus(all, [&](const Corpus& corpus) {
    data::VerifyOptions options = {
        .seed = corpus.seed,
        .vocab_size = corpus.model_vocab,
        .max_flaws = max_flaws,
        .num_threads = corpus.num_threads(),
        .caches = corpus.caches,
        .progress = [&](const std::string& file, std::int64_t num_tokens) {
          line.show([&] { return str(counted(num_tokens, "token"), "; ", file); });
        }};
    VerifiedCorpus found = std::visit(
        [&](const auto& config) { return verify_corpus(config, corpus.tokenizer, options); },
        corpus.config);
    max_flaws -= std::ssize(found.flaws);
    out.push_back({corpus.part, std::move(found)});
  });
  return out;
}

VerifiedCorpus sum(const std::vector<VerifiedPart>& parts) {
  VerifiedCorpus out;
  for (const auto& [name, found] : parts) {
    out.num_files += found.num_files;
    out.num_documents += found.num_documents;
    out.num_tokens += found.num_tokens;
    out.num_flaws += found.num_flaws;
    out.num_caches += found.num_caches;
  }
  return out;
}

std::string place(const CorpusFlaw& flaw) {
  std::string out = escaped(flaw.file);
  if (flaw.record) out += str(": record ", *flaw.record);
  if (flaw.offset) out += str(flaw.record ? "" : ":", " at byte ", *flaw.offset);
  return out;
}

void print_flaws(const std::vector<CorpusFlaw>& flaws) {
  for (const CorpusFlaw& flaw : flaws) {
    // Messages may begin with the name of the file.
    const bool names_it = flaw.what.starts_with(flaw.file);
    std::cout << (names_it ? "" : place(flaw) + ": ") << escaped(flaw.what) << "\n";
  }
}

std::string verdict(const VerifiedCorpus& found) {
  std::string out =
      str(counted(found.num_documents, "document"), ", ", counted(found.num_tokens, "token"));
  if (found.num_caches > 0)
    out += found.num_caches == 1 ? ", the token cache"
                                 : str(", ", counted(found.num_caches, "token cache"));
  return str(out, ": ", found.num_flaws == 0 ? "good" : counted(found.num_flaws, "flaw"), "\n");
}

void print_found(const VerifiedCorpus& found) {
  print_flaws(found.flaws);
  if (const std::int64_t num_more = found.num_flaws - std::ssize(found.flaws); num_more > 0)
    std::cout << "... and " << with_separators(num_more) << " more; to list more: --limit N\n";
  for (const std::string& folder : found.damaged_caches)
    std::cout << "to repair the token cache: delete " << escaped(folder)
              << "; the next run tokenizes its files again\n";
  print_flaws(found.remarks);
  std::cout << verdict(found);
}

void print_text(const std::vector<VerifiedPart>& parts, bool is_mixture) {
  for (const auto& [name, found] : parts) {
    if (is_mixture) std::cout << "part '" << escaped(name) << "'\n";
    print_found(found);
    if (is_mixture) std::cout << "\n";
  }
  if (is_mixture) std::cout << "total: " << verdict(sum(parts));
}

using Flaws = std::vector<CorpusFlaw> VerifiedCorpus::*;

void write_flaws(JsonWriter& json,
                 const char* name,
                 const std::vector<VerifiedPart>& parts,
                 Flaws flaws) {
  json.key(name).begin_array();
  for (const VerifiedPart& part : parts) {
    for (const CorpusFlaw& flaw : part.found.*flaws) {
      json.begin_object();
      if (!part.name.empty()) json.field("part", valid_text(part.name));
      json.field("file", valid_text(flaw.file));
      if (flaw.record) json.field("record", *flaw.record);
      if (flaw.offset) json.field("offset", *flaw.offset);
      json.field("what", valid_text(flaw.what)).end_object();
    }
  }
  json.end_array();
}

void write_numbers(JsonWriter& json, const VerifiedCorpus& found) {
  json.field("good", found.num_flaws == 0)
      .field("files", found.num_files)
      .field("documents", found.num_documents)
      .field("tokens", found.num_tokens)
      .field("caches", found.num_caches)
      .field("flaws", found.num_flaws);
}

void print_json(const std::vector<VerifiedPart>& parts, bool is_mixture) {
  JsonWriter json;
  json.begin_object();
  write_numbers(json, sum(parts));
  write_flaws(json, "listed", parts, &VerifiedCorpus::flaws);
  write_flaws(json, "remarks", parts, &VerifiedCorpus::remarks);
  json.key("damaged_caches").begin_array();
  for (const VerifiedPart& part : parts)
    for (const std::string& folder : part.found.damaged_caches)
      json.value(valid_text(folder));
  json.end_array();
  if (is_mixture) {
    json.key("parts").begin_array();
    for (const auto& [name, found] : parts) {
      json.begin_object().field("part", valid_text(name));
      write_numbers(json, found);
      json.end_object();
    }
    json.end_array();
  }
  std::cout << json.end_object().str() << "\n";
}

int verify(const VerifyArgs& args) {
  MW_CHECK(args.limit >= 0, kName, ": --limit ", args.limit, " is negative");
  const Corpora corpora = open_corpora(kName, args.corpus);
  const std::vector<VerifiedPart> parts = verify_corpora(corpora, args.limit);
  const bool is_mixture = corpora.mixture.has_value();
  args.as_json ? print_json(parts, is_mixture) : print_text(parts, is_mixture);
  return static_cast<int>(sum(parts).num_flaws == 0 ? ExitCode::done : ExitCode::no);
}

}  // namespace

CommandBody verify_data(const std::string& name) {
  return make_command<VerifyArgs>(name, verify);
}

}  // namespace meshwright::cli
