// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/tasks/continuations.h"
#include "meshwright/train/task/task.h"

namespace meshwright::tasks {

/// Returns prompts from the beginnings of a batch's rows: the first quarter of each. In rows of
/// several documents, they are from the first document: what precedes its first token in the loss,
/// such as the question before an answer, or otherwise at most its first half. At most three
/// quarters of a row.
Prompts sample_prompts(const train::TaskInput& input);

}  // namespace meshwright::tasks
