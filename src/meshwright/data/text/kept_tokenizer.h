// SPDX-License-Identifier: Apache-2.0
// The copy of its tokenizer that a run keeps in its folder.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::data {

struct KeptFile {
  std::string name;
  std::string content;
};

/// Returns the file to keep; nullopt for the tokenizer of bytes, which needs none.
std::optional<KeptFile> kept_tokenizer(const tokenizers::Tokenizer& tokenizer);

/// Opens the copy in a run's folder, the newest if there are several; null if there is none.
std::unique_ptr<tokenizers::Tokenizer> open_kept_tokenizer(const std::string& run_folder);

}  // namespace meshwright::data
