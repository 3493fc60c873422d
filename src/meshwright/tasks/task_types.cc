// SPDX-License-Identifier: Apache-2.0
// What configs know of the tasks, compiled once: it takes long.
#include "meshwright/tasks/image_classification.h"
#include "meshwright/tasks/lm.h"
#include "meshwright/tasks/seq2seq.h"

namespace meshwright::config {
template const Type& type_of<tasks::LmConfig>();
template const Type& type_of<tasks::ImageClassificationConfig>();
template const Type& type_of<tasks::Seq2SeqConfig>();
}  // namespace meshwright::config
