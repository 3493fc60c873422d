// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "meshwright/data/text/text_corpus.h"

namespace meshwright::data {

/// State shared by the sources of a run.
struct RunData {
  std::int64_t seed = 0;
  DataUse use = DataUse::batches;
  TextCorpusPtr text = {};  // whose tokenizer reads prompts; null unless there is text or tokens
  std::map<std::string, TextCorpusPtr> parts = {};  // of a mixture, those of text
};

}  // namespace meshwright::data
