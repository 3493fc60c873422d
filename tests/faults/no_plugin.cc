// SPDX-License-Identifier: Apache-2.0
// A library that is not a PJRT plugin.
extern "C" int no_plugin() {
  return 0;
}
