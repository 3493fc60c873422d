// SPDX-License-Identifier: Apache-2.0
// Tests of presets: each against the order of work in the system's own loop, written out in the
// test.
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

/// The loops written out in tests save every 3 steps, log every 4, keep every 5, evaluate every 6.
/// Returns the events of a run with that preset and one evaluator, "held_out"; `trace` replaces the
/// preset's trace if it has start steps.
Events recorded(const train::ForeignSystem& system, Case c, const train::TraceConfig& trace = {});

/// Returns "WHAT STEP".
std::string at(const char* what, std::int64_t step);

}  // namespace meshwright::systems
