// SPDX-License-Identifier: Apache-2.0
// expect: throw "an axis appears twice in one array"
#include "meshwright/tensor/axis_spec.h"

void constrain(meshwright::AxisSpec spec);

void test() {
  constrain("batch len embed");
  constrain("batch len batch");
}
