// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "meshwright/checkpoint/format/container.h"

namespace meshwright::checkpoint {

/// The containers other than the formats of runs, in the order in which a file or folder is tried.
const std::vector<const Container*>& containers();

/// Returns the names of all formats and containers.
std::vector<std::string> container_names();
/// Returns the names of those that can be written.
std::vector<std::string> written_containers();
/// Returns the format or container with this name; nullptr if there is none.
const Container* find_container(std::string_view name);

/// Throws unimplemented, with what to do instead, if a file is a pickle of Python or PyTorch, which
/// runs code when it is opened.
void refuse_pickles(const io::FileSystem& files, const std::string& path);

}  // namespace meshwright::checkpoint
