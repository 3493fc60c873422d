// SPDX-License-Identifier: Apache-2.0
// expect: throw "einsum: an axis occurs in only one of several inputs and not in the output"
#include "meshwright/tensor/axis_spec.h"

void einsum(meshwright::EinsumSpec spec);

void test() {
  einsum("batch len mlp -> batch len");
  einsum("batch len mlp, mpl embed -> batch len embed");
}
