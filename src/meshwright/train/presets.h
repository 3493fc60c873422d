// SPDX-License-Identifier: Apache-2.0
// The loops of the reference systems as configs of ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "meshwright/train/loop.h"

namespace meshwright::train {

struct Preset {
  LoopConfig loop;
  When eval;  // of evaluators that say nothing themselves
};

/// How often, where the references take numbers from their configs. Absent: never.
struct Periods {
  std::int64_t log = 100;
  std::optional<std::int64_t> save = 1000;
  std::optional<std::int64_t> keep = {};  // Big Vision's keep_ckpt
  std::optional<std::int64_t> eval = 1000;
};

/// "axlearn", "t5x", "big_vision" or "seqax". Throws invalid_argument for another name.
Preset preset(std::string_view name, const Periods& periods = {});

}  // namespace meshwright::train
