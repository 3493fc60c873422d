// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meshwright::cli {

struct DemoOptions {
  int num_steps = 500;
  int log_every = 50;
};

/// The built-in job, until there are configs to train: learns addition modulo 31 from three
/// quarters of all pairs, on 8 virtual CPU devices, and prints how well it does on the rest. Stops
/// after the step under way on an interrupt. Returns the exit code.
int run_demo(const DemoOptions& options = {});

}  // namespace meshwright::cli
