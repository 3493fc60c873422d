// SPDX-License-Identifier: Apache-2.0
// The programs that generate sequences.
#pragma once

#include <cstdint>

#include "meshwright/train/step/step_program.h"

namespace meshwright::train {

/// Traces the program that generates continuations. Arguments: the leaves of the parameters,
/// prompts s32[num_rows, len], their lengths s32[num_rows], and the key u32[2]. Results: the
/// members of Continuations.
graph::Program trace_generate(const TrainingSetup& setup,
                              std::int64_t num_rows,
                              std::int64_t len,
                              const GenerateOptions& options);

/// Traces the program that reads prompts, for tasks that generate in parts. Arguments: as above,
/// without the key. Results: the members of Unfinished.
graph::Program trace_begin_generation(const TrainingSetup& setup,
                                      std::int64_t num_rows,
                                      std::int64_t len,
                                      const GenerateOptions& options);

/// Traces the program that generates the next tokens after `begin`, the program above. Arguments:
/// the leaves of the parameters, the results of `begin` or of this program, donated, the lengths of
/// the prompts s32[num_rows], the key u32[2], and the number of tokens s32[]. Results: as `begin`.
graph::Program trace_continue_generation(const TrainingSetup& setup,
                                         const graph::Program& begin,
                                         const GenerateOptions& options);

}  // namespace meshwright::train
