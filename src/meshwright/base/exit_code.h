// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace meshwright {

/// Exit codes of the process. Scripts and schedulers rely on them: docs/exit_codes.md.
enum class ExitCode : int {
  done = 0,
  no = 1,  // diff, verify and bench found something
  usage = 2,
  data = 3,
  no_checkpoint = 4,
  numerics = 5,
  device = 6,
  bug = 70,
  retry = 75,
  hung_up = 129,  // 128 + signal, as in shells, but after saving
  interrupted = 130,
  preempted = 143,
  out_of_cpu_time = 152,  // SIGXCPU
};

}  // namespace meshwright
