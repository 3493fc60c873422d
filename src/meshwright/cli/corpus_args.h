// SPDX-License-Identifier: Apache-2.0
// The arguments CONFIG|FILE... [key=value...] of commands that read a corpus.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "meshwright/cli/config_args.h"
#include "meshwright/data/text/text_config.h"
#include "meshwright/data/text/tokens_config.h"
#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::cli {

/// Return the names of formats.
std::vector<std::string> text_formats();
std::vector<std::string> token_formats();

/// Files, and options that set the most frequent keys of [data].
struct CorpusArgs {
  Args words;  // names and overrides
  std::optional<std::string> tokenizer, field, format, split;

  /// Declares the options. Commands declare `words` themselves. `formats` are those of --format.
  void declare_options(ArgumentParser& parser,
                       const std::vector<std::string>& formats = text_formats());
  /// Returns the overrides that the options stand for, followed by those in `words`.
  std::vector<std::string> overrides() const;
};

/// Returns the settings of a corpus of these files: the defaults of a table [data] with type
/// "text", changed by the options and by overrides such as "data.field=body". Nothing is held out.
/// Throws invalid_argument, listing every mistake.
data::TextConfig corpus_config(const std::vector<std::string>& files, const CorpusArgs& args);

/// Settings of files of text or of tokens.
using CorpusConfig = std::variant<data::TextConfig, data::TokensConfig>;

/// Like corpus_config(). The files hold tokens if --format names a format of tokens, or data.type
/// is "tokens".
CorpusConfig any_corpus_config(const std::vector<std::string>& files, const CorpusArgs& args);

/// Opens the tokenizer at this path, or that of bytes.
std::shared_ptr<const tokenizers::Tokenizer> open_tokenizer(const std::string& name);

/// Declares the options and the arguments CONFIG|FILE... [key.path=value...].
void declare_corpus(ArgumentParser& parser, CorpusArgs& args);

/// True if the arguments name a config or a run folder, as opposed to files.
bool names_config(const ConfigArgs& args);

}  // namespace meshwright::cli
