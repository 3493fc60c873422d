// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/data/documents/documents.h"
#include "meshwright/data/text/record_files.h"
#include "meshwright/data/text/text_config.h"

namespace meshwright::data {

/// Returns plain files whose bytes are the tokens of one document each, and which need no cache;
/// null if the files or the settings are not of that kind.
DocumentsPtr open_in_place(const TextConfig& config, const RecordFiles& part);

}  // namespace meshwright::data
