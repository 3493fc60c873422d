// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/cli/row_printer.h"

namespace meshwright::cli {

/// Returns a row as JSON, with all tokens and values.
std::string row_json(const data::RowView& row, const TokenSpeller& spell);

}  // namespace meshwright::cli
