// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/base/counted.h"
#include "meshwright/base/json.h"
#include "meshwright/base/log.h"
#include "meshwright/base/resident_memory.h"
#include "meshwright/cli/data_commands.h"
#include "meshwright/cli/human_bytes.h"
#include "meshwright/data/text/count_words.h"
#include "meshwright/data/text/record_files.h"
#include "meshwright/io/file_system.h"
#include "meshwright/metrics/format.h"
#include "meshwright/tokenizers/split/rule.h"
#include "meshwright/tokenizers/training/train_bpe.h"
#include "meshwright/tokenizers/training/trained_json.h"

namespace meshwright::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr char kNone[] = "none";
constexpr char kFileName[] = "tokenizer.json";

std::vector<std::string> names_of(const auto& choices) {
  std::vector<std::string> out;
  for (const auto& choice : choices)
    out.push_back(choice.first);
  return out;
}

/// Returns the value of a name, which must be one of the choices.
template <typename Enum>
Enum chosen(const config::Choices<Enum>& choices, const std::string& name) {
  return std::ranges::find(choices, name, &std::pair<std::string, Enum>::first)->second;
}

// How text files are split into documents. Whole files are read in blocks, whatever their size.
config::Choices<data::TextSplit> splits() {
  auto out = data::config_choices(data::TextSplit());
  std::erase_if(out, [](const auto& choice) {
    return choice.second == data::TextSplit::separator || choice.second == data::TextSplit::files;
  });
  out.insert(out.begin(), {"files", data::TextSplit::blocks});
  return out;
}

struct TrainTokenizerArgs {
  Args files, special = {};
  std::int64_t vocab = 8192, min_count = 2;
  std::string pattern = "gpt2", regex, field = "text", format = "auto", split = "files";
  std::optional<std::int64_t> max_bytes, max_token_bytes, threads;
  std::int64_t skip_corrupt = 0;
  std::string out = kFileName;
  bool force = false, as_json = false;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Learns a tokenizer from text: byte-level BPE, with the same merges as the library "
        "tokenizers of Hugging Face. Writes a tokenizer.json that a config names with "
        "data.tokenizer.");
    parser.positionals(files, {"FILE...", Offer::files},
                       "files, globs and folders: text, JSONL and Parquet, also compressed with "
                       "gzip or zstd");
    parser.option("--vocab", vocab, {"N"},
                  "number of tokens, with the special ones and the 256 bytes (default: 8192)");
    std::vector<std::string> patterns = tokenizers::pattern_names();
    patterns.emplace_back(kNone);
    parser.option("--pattern", pattern, one_of(patterns),
                  "how text is split into words, which tokens do not cross: as in this model's "
                  "tokenizer (default: gpt2)");
    parser.option("--regex", regex, {"REGEX"},
                  "split text by this regular expression instead: matches and the text between "
                  "them are words");
    parser.option("--special", special, {"TOKEN"},
                  "special token; may be repeated (default: <|endoftext|>; none: no token)");
    parser.option("--min-count", min_count, {"N"},
                  "least number of times that a new token occurs (default: 2)");
    parser.option("--max-token-bytes", max_token_bytes, {"N"}, "most bytes of a new token");
    parser.option("--max-bytes", max_bytes, {"N"},
                  "read about N bytes of text: the beginning of each file");
    parser.option("--field", field, {"NAME"},
                  "member of JSON or Parquet records that has the text (default: text)");
    parser.option("--format", format, one_of(names_of(data::config_choices(data::FileFormat()))),
                  "format of the files (default: by their names)");
    parser.option("--split", split, one_of(names_of(splits())),
                  "documents of text files, which words do not cross (default: whole files)");
    parser.option("--skip-corrupt", skip_corrupt, {"N"},
                  "number of corrupt records to skip before the next one is an error");
    parser.option("--out", out, {"FILE", Offer::files}, "file to write (default: tokenizer.json)");
    parser.flag("--force", force, "replace the file if it exists");
    parser.option("--threads", threads, {"N"}, "threads that count words (default: one per core)");
    parser.flag("--json", as_json, "print the results as JSON");
    parser.example("book.txt --vocab 2048");
    parser.example("'corpus/*.jsonl.zst' --vocab 32768 --pattern llama3 --out llama.json");
  }
};

std::vector<std::string> patterns_of(const TrainTokenizerArgs& args) {
  if (!args.regex.empty()) return {args.regex};
  return tokenizers::named_patterns(args.pattern);
}

tokenizers::BpeTrainingOptions training_of(const TrainTokenizerArgs& args) {
  std::vector<std::string> special = args.special;
  if (special.empty()) special = {"<|endoftext|>"};
  if (special == std::vector<std::string>{kNone}) special.clear();
  return {.vocab_size = args.vocab,
          .special_tokens = std::move(special),
          .min_count = args.min_count,
          .max_token_bytes = args.max_token_bytes};
}

data::TextConfig corpus_of(const TrainTokenizerArgs& args) {
  data::TextConfig out;
  out.path = {args.files.begin(), args.files.end()};
  out.format = chosen(data::config_choices(data::FileFormat()), args.format);
  out.split = chosen(splits(), args.split);
  out.field = args.field;
  out.skip_corrupt = args.skip_corrupt;
  return out;
}

void check_output(const TrainTokenizerArgs& args) {
  std::error_code ignored;
  MW_CHECK(!args.out.empty() && !fs::is_directory(args.out, ignored),
           "data train-tokenizer: --out ", args.out, " is a folder\nname a file in it: --out ",
           (fs::path(args.out) / kFileName).string());
  if (!args.force && fs::exists(fs::symlink_status(args.out, ignored)))
    fail(ErrorCode::already_exists, "data train-tokenizer: ", args.out,
         " exists\nto replace it: --force; to write another file: --out FILE");
}

void write_output(const std::string& path, const std::string& text) {
  const fs::path parent = fs::path(path).parent_path();
  const auto folder = io::open_file_system(parent.empty() ? "." : parent.string());
  folder->make_folder("");
  replace_text(*folder, fs::path(path).filename().string(), text);
}

void log_counting(const data::TextAmounts& amounts) {
  log_info("counting words: ", human_bytes(amounts.num_bytes), ", ",
           counted(amounts.num_documents, "document"));
}

struct Report {
  data::TextAmounts amounts;
  std::int64_t num_different_words = 0;
  std::int64_t vocab = 0;
  double bytes_per_token = 0;
  double seconds = 0;
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void print_json(const Report& report, const std::string& path) {
  JsonWriter json;
  json.begin_object().field("file", path).field("documents", report.amounts.num_documents);
  json.field("bytes", report.amounts.num_bytes).field("words", report.amounts.num_words);
  json.field("different_words", report.num_different_words).field("vocab", report.vocab);
  json.field("bytes_per_token", report.bytes_per_token).field("seconds", report.seconds);
  if (const auto memory = find_resident_memory())
    json.field("peak_memory_bytes", memory->peak_bytes);
  std::cout << json.end_object().str() << "\n";
}

void print_text(const Report& report, const std::string& path) {
  std::cout << "documents: " << report.amounts.num_documents
            << "\nbytes: " << report.amounts.num_bytes << "\nwords: " << report.amounts.num_words
            << ", " << report.num_different_words << " different\nvocabulary: " << report.vocab
            << "\nbytes per token: " << metrics::significant(report.bytes_per_token)
            << "\nwritten to: " << path << "\n";
}

int run(const TrainTokenizerArgs& args) {
  const Clock::time_point start = Clock::now();
  MW_CHECK(!args.files.empty(),
           "data train-tokenizer: no files given\nsee: meshwright data train-tokenizer --help");
  check_output(args);
  const tokenizers::BpeTrainingOptions options = training_of(args);
  tokenizers::check(options);
  const std::vector<std::string> patterns = patterns_of(args);
  const data::TextConfig corpus = corpus_of(args);
  const auto cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
  const data::CountedWords counted = count_words(
      record_files(corpus, corpus.path), *tokenizers::splitter_for(patterns),
      {.num_threads = static_cast<int>(args.threads.value_or(std::max<std::int64_t>(1, cores))),
       .max_bytes = args.max_bytes,
       .progress = log_counting});
  MW_CHECK(counted.amounts.num_words > 0, "data train-tokenizer: the files have no text");
  log_info("counted the words of ", human_bytes(counted.amounts.num_bytes), " in ",
           metrics::duration(seconds_since(start)), "; learning ", args.vocab, " tokens");
  const tokenizers::TrainedBpe bpe = train_bpe(counted.words, options);
  write_output(args.out, trained_json(bpe, patterns));
  const Report report = {.amounts = counted.amounts,
                         .num_different_words = static_cast<std::int64_t>(counted.words.size()),
                         .vocab = std::ssize(bpe.tokens),
                         .bytes_per_token = static_cast<double>(counted.amounts.num_bytes) /
                                            static_cast<double>(bpe.num_text_tokens),
                         .seconds = seconds_since(start)};
  if (report.vocab < args.vocab)
    log_warning("the text gives only ", meshwright::counted(report.vocab, "token"), ", not ",
                args.vocab, ": no other pair occurs ", args.min_count,
                " times\nuse more text, or --min-count 1");
  args.as_json ? print_json(report, args.out) : print_text(report, args.out);
  return 0;
}

}  // namespace

CommandBody train_tokenizer(const std::string& name) {
  return make_command<TrainTokenizerArgs>(name, run);
}

}  // namespace meshwright::cli
