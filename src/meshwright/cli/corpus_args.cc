// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/corpus_args.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "meshwright/base/str.h"
#include "meshwright/checkpoint/run/run_files.h"
#include "meshwright/config/config.h"
#include "meshwright/config/find_config.h"
#include "meshwright/tokenizers/open/byte_tokenizer.h"
#include "meshwright/tokenizers/open/open_tokenizer.h"

namespace meshwright::cli {
namespace {

template <typename Data>
struct FilesConfig {
  Data data;

  void fields(auto& f) { f.required("data", data, "Files and how to read them."); }
};

template <typename Enum>
std::vector<std::string> names_of() {
  std::vector<std::string> out;
  for (const auto& [name, value] : config_choices(Enum()))
    out.push_back(name);
  return out;
}

std::string override_of(const std::string& key, const config::Node& value) {
  return str("data.", key, "=", config::toml_value(value));
}

// Returns the settings in the overrides `first`, then in the arguments.
template <typename Data>
Data config_of(std::vector<std::string> first,
               const std::vector<std::string>& files,
               const std::vector<std::string>& overrides) {
  config::Array paths;
  for (const std::string& file : files)
    paths.push_back({file});
  first.push_back(override_of("path", {std::move(paths)}));
  first.insert(first.end(), overrides.begin(), overrides.end());
  return config::from_tree<FilesConfig<Data>>(config::parse_overrides(first, "command line")).data;
}

}  // namespace

std::vector<std::string> text_formats() {
  return names_of<data::FileFormat>();
}

std::vector<std::string> token_formats() {
  return names_of<data::TokenFormat>();
}

void CorpusArgs::declare_options(ArgumentParser& parser, const std::vector<std::string>& formats) {
  parser.option("--tokenizer", tokenizer, {"PATH", Offer::files},
                "a tokenizer.json, a SentencePiece .model, a tiktoken file, a folder that has one, "
                "such as a run folder, or \"bytes\"");
  parser.option("--field", field, {"NAME"},
                "member of JSON or Parquet records that has the text (default: text)");
  parser.option("--format", format, one_of(formats),
                "format of the files (default: by their names)");
  parser.option("--split", split, one_of(names_of<data::TextSplit>()),
                "documents of text files (default: whole files)");
}

std::vector<std::string> CorpusArgs::overrides() const {
  std::vector<std::string> out;
  auto add = [&](const char* key, const std::optional<std::string>& value) {
    if (value) out.push_back(override_of(key, {*value}));
  };
  add("tokenizer", tokenizer);
  add("field", field);
  add("format", format);
  add("split", split);
  const std::vector<std::string> others = split_config_args(words).overrides;
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

data::TextConfig corpus_config(const std::vector<std::string>& files, const CorpusArgs& args) {
  return config_of<data::TextConfig>({"data.held_out=0"}, files, args.overrides());
}

CorpusConfig any_corpus_config(const std::vector<std::string>& files, const CorpusArgs& args) {
  const std::vector<std::string> formats = token_formats();
  const bool has_tokens = args.format && std::ranges::find(formats, *args.format) != formats.end();
  const char* const type = has_tokens ? data::TokensConfig::kType : data::TextConfig::kType;
  return config_of<CorpusConfig>({override_of("type", {std::string(type)}), "data.held_out=0"},
                                 files, args.overrides());
}

std::shared_ptr<const tokenizers::Tokenizer> open_tokenizer(const std::string& name) {
  return name == data::kBytes ? tokenizers::byte_tokenizer() : tokenizers::open_tokenizer(name);
}

void declare_corpus(ArgumentParser& parser, CorpusArgs& args) {
  std::vector<std::string> formats = text_formats();
  for (std::string& format : token_formats())
    formats.push_back(std::move(format));
  args.declare_options(parser, formats);
  parser.positionals(args.words, {"CONFIG|FILE... [key.path=value...]", Offer::files},
                     "a config or run folder, or files, globs or folders; then overrides of the "
                     "config, or for files keys of [data], such as data.where.language=en");
}

bool names_config(const ConfigArgs& args) {
  if (args.names.size() != 1) return false;
  const std::filesystem::path name(args.names.front());
  std::error_code ignored;
  if (std::filesystem::is_directory(name, ignored))
    return std::filesystem::exists(name / checkpoint::kRunConfig, ignored);
  if (name.extension() == ".toml") return true;
  const std::vector<std::string> known = config::config_names(config::config_folders());
  return !std::filesystem::exists(name, ignored) &&
         std::ranges::find(known, name.string()) != known.end();
}

}  // namespace meshwright::cli
