// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/config/source_config.h"

template const meshwright::config::Type&
meshwright::config::type_of<meshwright::data::SourceConfig>();
