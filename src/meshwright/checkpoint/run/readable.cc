// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/run/readable.h"

namespace meshwright::checkpoint {

Stored inspect(const Container& container, const Files& files, const CheckpointEntry& entry) {
  auto name = [&] { return files->full_name(entry.folder); };
  if (!entry.is_folder) {
    fail(ErrorCode::data_loss, name(),
         ": is named like a checkpoint, but is a link, file or pipe; ", "links are not followed");
  }
  if (!entry.is_committed) {
    fail(ErrorCode::not_found, name(),
         ": is unfinished: still being saved, or its run ended during the save");
  }
  try {
    Stored out = container.inspect(files, entry.folder);
    if (out.step == entry.step) return out;
    fail(ErrorCode::data_loss, name(), ": is a checkpoint of step ", out.step);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::data_loss || files->find(entry.folder)) throw;
    fail(ErrorCode::not_found, name(), ": has just been removed");
  }
}

Flaw flaw_of(const CheckpointEntry& entry, const Error& error) {
  switch (error.code()) {
    case ErrorCode::data_loss:
      return {entry, error.what(), /*is_damage=*/true};
    case ErrorCode::not_found:
    case ErrorCode::unimplemented:
    case ErrorCode::invalid_argument:
      return {entry, error.what()};
    default:
      throw;  // rethrows what the caller handles: `throw error` would drop its remedy
  }
}

std::optional<CheckpointEntry> newest_readable(const Container& container,
                                               const Files& files,
                                               const std::vector<CheckpointEntry>& steps) {
  for (auto entry = steps.rbegin(); entry != steps.rend(); ++entry) {
    if (!find_flaw(container, files, *entry)) return *entry;
  }
  return std::nullopt;
}

std::optional<Flaw> find_flaw(const Container& container,
                              const Files& files,
                              const CheckpointEntry& entry) {
  try {
    inspect(container, files, entry);
    return std::nullopt;
  } catch (const Error& error) {
    return flaw_of(entry, error);
  }
}

}  // namespace meshwright::checkpoint
