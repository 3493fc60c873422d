// SPDX-License-Identifier: Apache-2.0
// Helpers for tests that compare each preset with the system's own training loop, which the test
// spells out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meshwright/train/foreign/foreign_system.h"
#include "meshwright/train/loop/agenda_testutil.h"

namespace meshwright::systems {

using Events = std::vector<std::string>;

/// A run from the start step to the total.
struct Case {
  std::int64_t start;
  std::int64_t total;
};
extern const std::vector<Case> kCases;

/// The loops in the tests save every 3 steps, log every 4, keep a checkpoint every 5 and evaluate
/// every 6. Returns the events of a run with the system's preset and one evaluator, "held_out";
/// `trace` replaces the preset's trace if it has start steps.
Events recorded(const train::ForeignSystem& system, Case c, const train::TraceConfig& trace = {});

/// Returns text of the form "WHAT STEP".
std::string at(const char* what, std::int64_t step);

}  // namespace meshwright::systems
