// SPDX-License-Identifier: Apache-2.0
// How the table [data] reads its files and encodes their records.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "meshwright/data/encoding/record_encoder.h"
#include "meshwright/data/records/data_files.h"
#include "meshwright/data/records/record_settings.h"
#include "meshwright/data/text/text_config.h"
#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::data {

/// Consecutive files of one format.
struct RecordFiles {
  std::vector<DataFile> files;
  RecordSettings settings;
};

/// Returns the files that `path` names, in order, and how `config` reads them. Throws as
/// find_data_files(), and invalid_argument for settings that the format of a file does not allow.
std::vector<RecordFiles> record_files(const TextConfig& config,
                                      const config::OneOrMore<std::string>& path);

RecordEncoderPtr record_encoder(const TextConfig& config,
                                std::shared_ptr<const tokenizers::Tokenizer> tokenizer);

}  // namespace meshwright::data
