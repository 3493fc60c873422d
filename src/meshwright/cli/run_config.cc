// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/run_config.h"

template const meshwright::config::Type& meshwright::config::type_of<meshwright::cli::RunConfig>();
