// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include <fcntl.h>
#include <unistd.h>

#include "meshwright/cli/commands.h"
#include "meshwright/cli/dispatch.h"

namespace {

// A file opened while a standard descriptor is closed would take its number, and output would end
// up in that file. The placeholders fail like closed descriptors: stdin cannot be read, stdout and
// stderr cannot be written.
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
  std::signal(SIGXFSZ, SIG_IGN);  // a write past the file size limit fails instead
  return meshwright::cli::dispatch({argv + 1, argv + argc}, meshwright::cli::commands());
}
