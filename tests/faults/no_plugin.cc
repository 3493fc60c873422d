// SPDX-License-Identifier: Apache-2.0
// A library that is no PJRT plugin.
extern "C" int no_plugin() {
  return 0;
}
