// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "meshwright/data/records/record.h"
#include "meshwright/data/text/text_config.h"
#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::data {

/// Receives a record and the tokens of its document, with BOS and EOS.
using UseDocument =
    std::function<void(const Record& record, std::span<const tokenizers::Id> tokens)>;

/// Encodes the files of `config` on several threads and calls `use` for each document, in order and
/// on the calling thread. Writes no cache. Returns the numbers of records. Throws as record_files()
/// and RecordReader.
RecordCounts for_each_document(const TextConfig& config,
                               const std::shared_ptr<const tokenizers::Tokenizer>& tokenizer,
                               const UseDocument& use);

}  // namespace meshwright::data
