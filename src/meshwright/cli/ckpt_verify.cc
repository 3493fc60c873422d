// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string_view>

#include "meshwright/base/json.h"
#include "meshwright/base/printable.h"
#include "meshwright/cli/ckpt_commands.h"
#include "meshwright/cli/exit_code.h"

namespace meshwright::cli {
namespace {

using checkpoint::Damage;

struct Verified {
  checkpoint::CheckpointEntry step;
  std::vector<Damage> damage;
  bool has_checksums = true;  // meaningful only without damage

  std::string_view verdict() const {
    if (!damage.empty()) return "damaged";
    return has_checksums ? "good" : "no checksums: only structure was checked";
  }
};

std::vector<checkpoint::CheckpointEntry> newest_first(const checkpoint::Location& location) {
  std::vector<checkpoint::CheckpointEntry> out;
  for (const checkpoint::CheckpointEntry& step : location.steps)
    if (step.is_committed || !step.is_folder) out.insert(out.begin(), step);
  return out;
}

Verified verify(const checkpoint::Location& location, const checkpoint::CheckpointEntry& step) {
  if (!step.is_folder) return {step, {{location.files->full_name(step.folder), "is not a folder"}}};
  if (!step.is_committed)
    return {step, {{location.files->full_name(step.folder), "was never committed"}}};
  Verified out{step, location.container->verify(location.files, step.folder)};
  if (!out.damage.empty()) return out;
  const checkpoint::Stored stored = open_step(location, step);
  check_readable(stored);
  out.has_checksums = stored.is_verified;
  if (stored.step != step.step)
    out.damage.push_back({location.files->full_name(step.folder), str("is of step ", stored.step)});
  return out;
}

/// Verifies the named checkpoint. Without a name, starts with the newest and stops at the first
/// good one, or verifies all if asked.
std::vector<Verified> verify_all(const checkpoint::Location& location, bool all) {
  if (location.named) return {verify(location, *location.named)};
  std::vector<Verified> out;
  const std::vector<checkpoint::CheckpointEntry> there = newest_first(location);
  if (there.empty()) location.step();  // throws
  for (const checkpoint::CheckpointEntry& step : there) {
    out.push_back(verify(location, step));
    if (!all && out.back().damage.empty()) break;
  }
  return out;
}

void print_json(const std::vector<Verified>& found) {
  JsonWriter json;
  json.begin_array();
  for (const Verified& verified : found) {
    json.begin_object().field("step", verified.step.step);
    json.field("good", verified.damage.empty());
    if (verified.damage.empty()) json.field("checksums", verified.has_checksums);
    json.key("damage").begin_array();
    for (const Damage& damage : verified.damage)
      json.begin_object().field("file", damage.file).field("what", damage.what).end_object();
    json.end_array().end_object();
  }
  std::cout << json.end_array().str() << "\n";
}

// Prefixes the file name, unless the message already starts with it.
std::string told(const Damage& damage) {
  const bool names_it = damage.what.starts_with(damage.file);
  return names_it ? damage.what : str(damage.file, ": ", damage.what);
}

void print_text(const checkpoint::Location& location, const std::vector<Verified>& found) {
  for (const Verified& verified : found) {
    std::cout << "step " << verified.step.step << ": " << verified.verdict() << "\n";
    for (const Damage& damage : verified.damage)
      std::cout << printable_message(str("  ", told(damage), "\n"));
  }
  if (!found.front().damage.empty() && !location.named && !found.back().damage.empty())
    std::cout << "no checkpoint of this run is intact\n";
}

struct VerifyArgs {
  Args folder;
  bool all = false, is_strict = false, as_json = false;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Reads every byte of a checkpoint and reports damage. Given a run folder, starts with the "
        "newest checkpoint and continues with older ones until one is good. Exit code 1 if any "
        "damage is found. Checkpoints written by other programs have no checksums: their chunks "
        "are decoded, but a changed value goes unnoticed.");
    declare_folder(parser, folder);
    parser.flag("--all", all, "verify all checkpoints of the run");
    parser.flag("--strict", is_strict, "also exit with 1 if there are no checksums");
    parser.flag("--json", as_json, "print JSON");
  }
};

int verify_named(const VerifyArgs& args) {
  const checkpoint::Location location = located("verify", args.folder);
  const std::vector<Verified> found = verify_all(location, args.all);
  if (args.as_json) {
    print_json(found);
  } else {
    print_text(location, found);
  }
  for (const Verified& verified : found)
    if (!verified.damage.empty() || (args.is_strict && !verified.has_checksums))
      return static_cast<int>(ExitCode::no);
  return 0;
}

}  // namespace

CommandBody verify_checkpoints(const std::string& name) {
  return make_ckpt_command<VerifyArgs>(name, verify_named);
}

}  // namespace meshwright::cli
