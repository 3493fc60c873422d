// SPDX-License-Identifier: Apache-2.0
// Instantiates the config types of the tasks once, since they take a long time to compile.
#include "meshwright/tasks/image_classification.h"
#include "meshwright/tasks/lm.h"
#include "meshwright/tasks/seq2seq.h"

namespace meshwright::config {
template const Type& type_of<tasks::LmConfig>();
template const Type& type_of<tasks::ImageClassificationConfig>();
template const Type& type_of<tasks::Seq2SeqConfig>();
}  // namespace meshwright::config
