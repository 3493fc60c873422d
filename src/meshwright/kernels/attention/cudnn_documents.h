// SPDX-License-Identifier: Apache-2.0
// Rows of several documents, as cuDNN takes them. Internal to kernels/attention.
#pragma once

#include "meshwright/kernels/attention/cudnn_call.h"

namespace meshwright::kernels {

/// Returns a boolean scalar: true if each document of `segments`, s32 [batch, len], is one run of
/// tokens and if there are few enough for the mask of documents_as_mask(). Rows must be in order:
/// ids increase, except that padding, with id 0, comes last.
graph::Value fits_cudnn(graph::Value segments);

/// Returns the mask by which a query sees the keys of its document, for arrays with these numbers
/// of elements per token. Every run of equal ids is a document, padding too.
CudnnMask documents_as_mask(graph::Value segments,
                            std::int64_t elements_per_query,
                            std::int64_t elements_per_key);

}  // namespace meshwright::kernels
