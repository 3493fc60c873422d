// SPDX-License-Identifier: Apache-2.0
// The subcommands of `meshwright data`, which need no devices.
#pragma once

#include <string>

#include "meshwright/cli/command.h"

namespace meshwright::cli {

CommandBody list_caches(const std::string& name);
CommandBody print_data_statistics(const std::string& name);
CommandBody pack_data(const std::string& name);
CommandBody show_data(const std::string& name);
CommandBody tokenize_data(const std::string& name);
CommandBody verify_data(const std::string& name);
CommandBody train_tokenizer(const std::string& name);

}  // namespace meshwright::cli
