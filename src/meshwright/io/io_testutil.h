// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "meshwright/base/error.h"
#include "meshwright/base/temporary_folder_testutil.h"

namespace meshwright::io {

using meshwright::TemporaryFolder;

/// Returns the code of the Error that `action` throws; nullopt if it does not throw.
std::optional<ErrorCode> code_of(const std::function<void()>& action);

}  // namespace meshwright::io
