// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/corpora.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/cli/job.h"
#include "meshwright/cli/load_run_config.h"
#include "meshwright/config/config.h"
#include "meshwright/data/text/open_text.h"

namespace meshwright::cli {
namespace {

std::optional<std::int64_t> model_vocab(const TaskConfig& config) {
  return std::visit(
      [](const auto& task) -> std::optional<std::int64_t> {
        if constexpr (requires { task.model.vocab; }) return task.model.vocab;
        return std::nullopt;
      },
      static_cast<const TaskChoice&>(config));
}

// Opens the corpora of a config.
class ConfigCorpora {
 public:
  explicit ConfigCorpora(const RunConfig& config)
      : config_(config), data_(open_data(config, data::DataUse::spec_only)) {}

  Corpora open() {
    if (const auto* text = std::get_if<data::TextConfig>(&config_.data)) {
      add("", *text, data_.text);
    } else if (const auto* tokens = std::get_if<data::TokensConfig>(&config_.data)) {
      add("", *tokens, data_.text);
    } else if (const auto* mixture = std::get_if<data::MixtureConfig>(&config_.data)) {
      out_.mixture = *mixture;
      for (const auto& [name, part] : mixture->used_parts())
        add_part(name, part, mixture->batch_size);
    }
    return std::move(out_);
  }

 private:
  void add_part(const std::string& name, const data::PartConfig& part, std::int64_t batch_size) {
    if (const auto* text = std::get_if<data::PartOf<data::TextConfig>>(&part))
      add(name, text->source(batch_size), data_.parts.at(name));
    if (const auto* tokens = std::get_if<data::PartOf<data::TokensConfig>>(&part))
      add(name, tokens->source(batch_size), data_.parts.at(name));
  }

  void add(const std::string& part,
           const data::TextConfig& text,
           const data::TextCorpusPtr& corpus) {
    out_.corpora.push_back({.part = part,
                            .config = text,
                            .tokenizer = corpus->opened_tokenizer().tokenizer,
                            .seed = config_.train.seed,
                            .model_vocab = model_vocab(config_.task),
                            .caches = data::caches_folder(text, config_.train.dir)});
  }
  void add(const std::string& part,
           const data::TokensConfig& tokens,
           const data::TextCorpusPtr& corpus) {
    out_.corpora.push_back(
        {.part = part,
         .config = tokens,
         .tokenizer = tokens.tokenizer ? corpus->opened_tokenizer().tokenizer : nullptr,
         .seed = config_.train.seed,
         .model_vocab = model_vocab(config_.task)});
  }

  const RunConfig& config_;
  const data::RunData data_;
  Corpora out_;
};

Corpus open_files(const std::vector<std::string>& files, const CorpusArgs& args) {
  Corpus out{.config = any_corpus_config(files, args)};
  if (const auto* tokens = std::get_if<data::TokensConfig>(&out.config)) {
    if (tokens->tokenizer) out.tokenizer = open_tokenizer(*tokens->tokenizer);
  } else {
    const auto& text = std::get<data::TextConfig>(out.config);
    out.tokenizer = open_tokenizer(text.tokenizer);
    if (text.cache) out.caches = *text.cache;
  }
  return out;
}

}  // namespace

std::int64_t Corpus::length() const {
  return std::visit([](const auto& one) { return one.length; }, config);
}

int Corpus::num_threads() const {
  const auto* text = std::get_if<data::TextConfig>(&config);
  return text ? text->tokenizer_threads.value_or(0) : 0;
}

Corpora open_corpora(const std::string& command, const CorpusArgs& args) {
  const ConfigArgs split = split_config_args(args.words);
  MW_CHECK(!split.names.empty(), command, ": no files are named\nsee: meshwright ", command,
           " --help");
  if (!names_config(split)) return {.corpora = {open_files(split.names, args)}};
  Args words = args.overrides();
  words.push_back(split.names.front());
  const RunConfig config = load_run_config(command, words);
  Corpora out = ConfigCorpora(config).open();
  MW_CHECK(
      !out.corpora.empty(), command, ": the data of ", split.names.front(),
      " has no files of text or tokens\nto read files without a config, name them: meshwright ",
      command, " FILE...");
  return out;
}

}  // namespace meshwright::cli
