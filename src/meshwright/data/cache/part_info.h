// SPDX-License-Identifier: Apache-2.0
// Internal to cache/: descriptions of parts as JSON.
#pragma once

#include "meshwright/base/json.h"
#include "meshwright/base/json_value.h"
#include "meshwright/data/cache/part.h"

namespace meshwright::data {

void write_json(JsonWriter& json, const PartInfo& info);
/// Throws data_loss.
PartInfo part_info_from(const JsonValue& json);

}  // namespace meshwright::data
