// SPDX-License-Identifier: Apache-2.0
// Internal to io/: plain files of a disk, opened in a folder that is open already. Nothing but a
// plain file is opened, and no call waits for the other end of a pipe.
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

/// What a caller wants to do with the thing that it finds something else in the place of.
enum class Use { read, write };
/// Throws what errno `reason` stands for; if the reason is that something is no plain file or no
/// folder, data_loss or invalid_argument with what it is.
[[noreturn]] void fail_at(std::string_view doing, const PosixName& at, Use use, int reason);

std::unique_ptr<ReadableFile> open_readable(const PosixName& at);
std::unique_ptr<WritableFile> open_writable(const PosixName& at);
std::unique_ptr<AppendableFile> open_appendable(const PosixName& at);
std::unique_ptr<FileLock> lock_file(const PosixName& at, std::string_view text);

}  // namespace meshwright::io
