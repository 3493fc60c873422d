// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/dispatch.h"

int main(int argc, char** argv) {
  return meshwright::cli::dispatch({argv + 1, argv + argc}, meshwright::cli::commands());
}
