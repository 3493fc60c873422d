// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "meshwright/base/json.h"
#include "meshwright/base/printable.h"
#include "meshwright/cli/ckpt_commands.h"
#include "meshwright/cli/exit_code.h"

namespace meshwright::cli {
namespace {

using checkpoint::Damage;

struct Verified {
  checkpoint::StepEntry step;
  std::vector<Damage> damage;
};

std::vector<checkpoint::StepEntry> newest_first(const checkpoint::Location& location) {
  std::vector<checkpoint::StepEntry> out;
  for (const checkpoint::StepEntry& step : location.steps)
    if (step.is_committed) out.insert(out.begin(), step);
  return out;
}

Verified verify(const checkpoint::Location& location, const checkpoint::StepEntry& step) {
  if (!step.is_committed)
    return {step, {{location.files->full_name(step.folder), "was never committed"}}};
  Verified out{step, location.format->verify(location.files, step.folder)};
  if (!out.damage.empty()) return out;
  const std::int64_t found = open_step(location, step).step;
  if (found != step.step)
    out.damage.push_back({location.files->full_name(step.folder), str("is of step ", found)});
  return out;
}

/// The steps that were asked for; after a damaged newest one also older ones, until one is good.
std::vector<Verified> verify_all(const checkpoint::Location& location, bool all) {
  if (location.named) return {verify(location, *location.named)};
  std::vector<Verified> out;
  location.step();  // throws if there is none
  for (const checkpoint::StepEntry& step : newest_first(location)) {
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
    json.field("good", verified.damage.empty()).key("damage").begin_array();
    for (const Damage& damage : verified.damage)
      json.begin_object().field("file", damage.file).field("what", damage.what).end_object();
    json.end_array().end_object();
  }
  std::cout << json.end_array().str() << "\n";
}

// An error has the name of the file in front already.
std::string told(const Damage& damage) {
  const bool names_it = damage.what.starts_with(damage.file);
  return names_it ? damage.what : str(damage.file, ": ", damage.what);
}

void print_text(const checkpoint::Location& location, const std::vector<Verified>& found) {
  for (const Verified& verified : found) {
    std::cout << "step " << verified.step.step << ": "
              << (verified.damage.empty() ? "good" : "damaged") << "\n";
    for (const Damage& damage : verified.damage)
      std::cout << printable_message(str("  ", told(damage), "\n"));
  }
  if (!found.front().damage.empty() && !location.named && !found.back().damage.empty())
    std::cout << "no checkpoint of this run is good\n";
}

}  // namespace

int verify_checkpoints(const Words& words) {
  ArgumentParser parser("ckpt verify",
                        "Reads all of a checkpoint and says what is damaged. Of a run: the newest "
                        "one, and if that is damaged older ones until one is good. Exit code 1 if "
                        "anything is damaged.");
  Words folder;
  bool all = false, as_json = false;
  checkpoint_word(parser, folder);
  parser.flag("--all", all, "all checkpoints of the run");
  parser.flag("--json", as_json, "for programs");
  if (!parser.parse(words)) return 0;
  const checkpoint::Location location = located("verify", folder);
  const std::vector<Verified> found = verify_all(location, all);
  if (as_json) {
    print_json(found);
  } else {
    print_text(location, found);
  }
  for (const Verified& verified : found)
    if (!verified.damage.empty()) return static_cast<int>(ExitCode::no);
  return 0;
}

}  // namespace meshwright::cli
