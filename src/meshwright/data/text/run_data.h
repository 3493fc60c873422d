// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "meshwright/data/text/text_corpus.h"

namespace meshwright::data {

/// State shared by the sources of a run.
struct RunData {
  std::int64_t seed = 0;
  TextCorpusPtr text = {};  // of training data with type "text"; otherwise null
};

}  // namespace meshwright::data
