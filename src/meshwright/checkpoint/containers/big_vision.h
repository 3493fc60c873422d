// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "meshwright/checkpoint/format/container.h"

namespace meshwright::checkpoint {

/// Big Vision's folders of arrays, named after what its trainers call the path of a checkpoint:
/// PATH-000001000/ with a zarr folder for each array (params~img~kernel), and the file PATH-LAST,
/// which names the newest complete one. PATH is usually DIR/checkpoint.bv.
const Container& big_vision_container();

/// Returns the folder that PATH-LAST names, such as "checkpoint.bv-000001000" for "checkpoint.bv";
/// nullopt if there is no such file.
std::optional<std::string> find_big_vision_last(const io::FileSystem& files,
                                                const std::string& path);

}  // namespace meshwright::checkpoint
