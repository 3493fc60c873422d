// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/error.h"
#include "meshwright/cli/commands.h"
#include "meshwright/cli/demo.h"

namespace meshwright::cli {

int run_train(const Words& words) {
  ArgumentParser parser("train", "Trains a model. Without CONFIG, a small built-in job.");
  Words settings;
  parser.positionals(settings, "[CONFIG] [key.path=value...]", "a TOML file, and values over it");
  if (!parser.parse(words)) return 0;
  if (!settings.empty()) {
    fail(ErrorCode::unimplemented, "train: this version cannot train from a config yet ('",
         settings[0], "')\nwithout one it runs its built-in job: meshwright train");
  }
  return run_demo();
}

}  // namespace meshwright::cli
