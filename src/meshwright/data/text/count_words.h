// SPDX-License-Identifier: Apache-2.0
// Counts the words of a corpus, to train a tokenizer on them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "meshwright/data/records/record.h"
#include "meshwright/data/text/record_files.h"
#include "meshwright/tokenizers/split/splitter.h"
#include "meshwright/tokenizers/training/word_counts.h"

namespace meshwright::data {

struct TextAmounts {
  std::int64_t num_documents = 0;  // a file that is read in blocks is one
  std::int64_t num_bytes = 0;      // of text
  std::int64_t num_words = 0;
};

struct WordCountOptions {
  int num_threads = 1;
  /// The most bytes of text to read. They come from the beginning of each file, in proportion to
  /// the sizes of the files. Whole documents are used, so that a few more bytes may be read.
  std::optional<std::int64_t> max_bytes = {};
  /// Called about once a second. Calls may come from any thread, but only one at a time.
  std::function<void(const TextAmounts&)> progress = {};
};

struct CountedWords {
  tokenizers::WordCounts words;
  TextAmounts amounts;
  RecordCounts records;
};

/// Counts the words of all texts of the records. The counts do not depend on the number of threads.
/// Memory: a batch of records and a table of words for each thread. Throws as RecordReader.
CountedWords count_words(const std::vector<RecordFiles>& files,
                         const tokenizers::Splitter& splitter,
                         const WordCountOptions& options);

}  // namespace meshwright::data
