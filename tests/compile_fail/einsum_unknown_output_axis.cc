// SPDX-License-Identifier: Apache-2.0
// expect: throw "einsum: an output axis does not occur in any input"
#include "meshwright/tensor/axis_spec.h"

void einsum(meshwright::EinsumSpec spec);

void test() {
  einsum("batch len embed, embed mlp -> batch len mlp");
  einsum("batch len embed, embed mlp -> batch len ml");
}
