// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include <fcntl.h>
#include <unistd.h>

#include "meshwright/cli/commands.h"
#include "meshwright/cli/dispatch.h"

namespace {

// A file that is opened while a standard descriptor is closed would get its number, and what is
// printed would be written into that file. Reading from the placeholder of stdin and writing to
// those of stdout and stderr fails, as on a closed descriptor.
void occupy_closed_descriptors() {
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    const int mode = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", mode) != descriptor) ::_exit(2);
  }
}

}  // namespace

int main(int argc, char** argv) {
  occupy_closed_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // a write past the limit of file sizes fails instead
  return meshwright::cli::dispatch({argv + 1, argv + argc}, meshwright::cli::commands());
}
