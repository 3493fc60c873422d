// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <utility>

#include <unistd.h>

#include "meshwright/base/check.h"
#include "meshwright/cli/corpus_args.h"
#include "meshwright/cli/data_commands.h"
#include "meshwright/cli/token_printer.h"
#include "meshwright/cli/write_tokens.h"
#include "meshwright/data/text/document_rules.h"
#include "meshwright/data/text/for_each_document.h"
#include "meshwright/data/text/record_files.h"

namespace meshwright::cli {
namespace {

using tokenizers::Id;
using tokenizers::Tokenizer;

constexpr char kName[] = "data tokenize";

struct TokenizeArgs {
  CorpusArgs corpus;
  Args texts;
  bool with_bos = false, with_eos = false, with_pieces = false, as_json = false;
  std::optional<std::string> out, out_format;
  bool force = false;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Prints the tokens of texts, or of the documents of files: a line of ids for each. Without "
        "files and --text, the text is stdin. With --out, writes the tokens of files to a file of "
        "tokens, for later runs or other programs.");
    corpus.declare_options(parser);
    parser.option("--text", texts, {"TEXT"}, "a text; may be repeated");
    parser.flag("--bos", with_bos, "begin with the tokenizer's BOS token");
    parser.flag("--eos", with_eos, "end with the tokenizer's EOS token");
    parser.flag("--pieces", with_pieces, "print a line per token, with the text it stands for");
    parser.flag(
        "--json", as_json,
        "print an object per text, with its tokens and their text; with --out, the results");
    parser.option("--out", out, {"PATH", Offer::files}, "file of tokens to write");
    parser.option("--out-format", out_format, one_of(token_format_names()),
                  "format of the file (default: by its name)");
    parser.flag("--force", force, "with --out: replace the file if it exists");
    parser.positionals(corpus.words, {"[FILE...] [data.key=value...]", Offer::files},
                       "files, globs or folders; then keys of [data], as in a config");
    parser.example("--tokenizer tokenizer.json --text 'How is this split?' --pieces");
    parser.example("--tokenizer runs/text corpus.jsonl data.field=body | head");
    parser.example(
        "--tokenizer tokenizer.json 'corpus/*.jsonl.zst' --out corpus --out-format megatron");
  }

  TokenStyle style() const {
    MW_CHECK(!with_pieces || !as_json, kName, ": --pieces cannot be combined with --json");
    return as_json ? TokenStyle::json : with_pieces ? TokenStyle::pieces : TokenStyle::ids;
  }
};

// Encodes a text as if it were a record. BOS and EOS are added only on request.
class TextEncoder {
 public:
  TextEncoder(const data::TextConfig& config, const std::shared_ptr<const Tokenizer>& tokenizer)
      : frame_(document_frame(explicit_only(config), *tokenizer)),
        encoder_(record_encoder(config, tokenizer)) {
    MW_CHECK(!config.has_instructions(), kName, ": data.", config.chat ? "chat" : "prompts",
             ": a text has no fields\ngive a file of records");
  }

  std::vector<Id> operator()(std::string_view text) const {
    data::EncodedRecord out;
    if (frame_.before) out.tokens.push_back(*frame_.before);
    data::Record record;
    record.fields = {&text, 1};
    encoder_->encode(record, out);
    if (frame_.after) out.tokens.push_back(*frame_.after);
    return out.tokens;
  }

 private:
  static data::TextConfig explicit_only(data::TextConfig config) {
    config.add_bos = config.add_bos.value_or(false);
    config.add_eos = config.add_eos.value_or(false);
    return config;
  }

  data::Frame frame_;
  data::RecordEncoderPtr encoder_;
};

std::string read_stdin() {
  constexpr std::size_t kMost = std::size_t{64} << 20;
  std::string out(std::istreambuf_iterator<char>(std::cin), {});
  MW_CHECK(out.size() <= kMost, kName, ": stdin has more than ", kMost,
           " bytes\nto tokenize a large text: save it to a file");
  return out;
}

void print_stdin(const TextEncoder& encode, TokenPrinter& printer) {
  if (::isatty(STDIN_FILENO) == 0) {
    const std::string text = read_stdin();
    return printer.print(text, encode(text));
  }
  for (std::string line; std::getline(std::cin, line);) {
    printer.print(line, encode(line));
    std::cout.flush();
  }
}

// Returns the settings of the files, or of a text if there are none.
data::TextConfig config_of(const TokenizeArgs& args, const std::vector<std::string>& files) {
  auto is_tokenizer = [](const std::string& word) { return word.starts_with("data.tokenizer="); };
  MW_CHECK(std::ranges::any_of(args.corpus.overrides(), is_tokenizer), kName,
           ": no tokenizer is named\ngive --tokenizer PATH");
  const std::vector<std::string> none = {"stdin"};  // is not opened
  data::TextConfig out = corpus_config(files.empty() ? none : files, args.corpus);
  if (args.with_bos) out.add_bos = true;
  if (args.with_eos) out.add_eos = true;
  return out;
}

void check_args(const TokenizeArgs& args, const std::vector<std::string>& files) {
  MW_CHECK(args.texts.empty() || files.empty(), kName, ": --text cannot be combined with files");
  MW_CHECK(args.out || (!args.out_format && !args.force), kName,
           ": --out-format and --force need --out PATH");
  MW_CHECK(!args.out || !args.with_pieces, kName, ": --pieces cannot be combined with --out");
  MW_CHECK(!args.out || !files.empty(), kName, ": --out needs files");
}

void print_tokens(const TokenizeArgs& args,
                  const data::TextConfig& config,
                  const std::shared_ptr<const Tokenizer>& tokenizer,
                  bool of_files) {
  TokenPrinter printer(*tokenizer, args.style());
  if (of_files) {
    data::for_each_document(config, tokenizer, [&](const auto& record, std::span<const Id> ids) {
      printer.print(record.fields.size() == 1 ? record.text() : "", ids);
    });
  } else {
    const TextEncoder encode(config, tokenizer);
    for (const std::string& text : args.texts)
      printer.print(text, encode(text));
    if (args.texts.empty()) print_stdin(encode, printer);
  }
  std::cout.flush();
  printer.log_totals();
}

int tokenize(const TokenizeArgs& args) {
  const std::vector<std::string> files = split_config_args(args.corpus.words).names;
  check_args(args, files);
  const data::TextConfig config = config_of(args, files);
  const std::shared_ptr<const Tokenizer> tokenizer = open_tokenizer(config.tokenizer);
  if (args.out) {
    write_tokens(config, tokenizer,
                 {.path = *args.out,
                  .format = args.out_format,
                  .force = args.force,
                  .as_json = args.as_json});
  } else {
    print_tokens(args, config, tokenizer, !files.empty());
  }
  return 0;
}

}  // namespace

CommandBody tokenize_data(const std::string& name) {
  return make_command<TokenizeArgs>(name, tokenize);
}

}  // namespace meshwright::cli
