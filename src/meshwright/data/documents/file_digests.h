// SPDX-License-Identifier: Apache-2.0
// Internal to documents/: which file of a corpus has changed since a checkpoint.
#pragma once

#include <string>
#include <vector>

#include "meshwright/base/scalar.h"
#include "meshwright/base/tree.h"
#include "meshwright/data/documents/documents.h"

namespace meshwright::data {

/// Returns digests of the files for the identity of a source. Many files are summarized in groups,
/// so that the size is bounded. Names are not included: a corpus may be moved.
Tree<Scalar> file_digests(const std::vector<FileDigest>& files);

/// Returns a sentence that names the first file that differs from those that `then` was made of;
/// empty if none differs or `then` is not the result of file_digests().
std::string changed_file(const Tree<Scalar>& then, const std::vector<FileDigest>& now);

}  // namespace meshwright::data
