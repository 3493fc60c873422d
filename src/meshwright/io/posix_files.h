// SPDX-License-Identifier: Apache-2.0
// Internal to io/: opens plain files relative to an open folder. Never opens anything else, and
// never blocks on a pipe.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "meshwright/io/file_system.h"
#include "meshwright/io/posix_handle.h"

namespace meshwright::io {

/// A name in an open folder. `full_name` is for messages.
struct PosixName {
  int folder = -1;
  const char* name = "";
  const std::string& full_name;
};

FileKind kind_of(mode_t mode);

/// The purpose of the access, which selects the error code if something other than a file is found.
enum class Use { read, write };
/// Throws the error for errno `reason`. If the cause is an entry that is not a plain file or
/// folder, throws data_loss or invalid_argument with its kind.
[[noreturn]] void fail_at(std::string_view doing, const PosixName& at, Use use, int reason);

std::unique_ptr<ReadableFile> open_readable(const PosixName& at);
std::unique_ptr<WritableFile> open_writable(const PosixName& at);
std::unique_ptr<WritableFile> open_to_update(const PosixName& at);
std::unique_ptr<AppendableFile> open_appendable(const PosixName& at);
std::unique_ptr<FileLock> lock_file(const PosixName& at, std::string_view text);

}  // namespace meshwright::io
