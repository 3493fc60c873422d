// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/checkpoint/format/container.h"

namespace meshwright::checkpoint {

/// A file of numpy.savez() or numpy.savez_compressed(), one array per member.
const Container& npz_container();

}  // namespace meshwright::checkpoint
