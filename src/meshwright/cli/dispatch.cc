// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/dispatch.h"

#include <exception>
#include <iostream>

#include <fcntl.h>
#include <unistd.h>

#include "meshwright/base/nearest.h"
#include "meshwright/base/wording.h"
#include "meshwright/cli/exit_code.h"
#include "meshwright/cli/version.h"

namespace meshwright::cli {
namespace {

void print_help(std::span<const Command> commands) {
  std::cout << "usage: meshwright COMMAND [ARGUMENT...]\n\n"
               "Trains large neural networks on CPUs, GPUs and TPUs.\n\n";
  for (const Command& command : commands) {
    const std::size_t gap = command.name.size() < 12 ? 12 - command.name.size() : 2;
    std::cout << "  " << command.name << std::string(gap, ' ') << command.summary << "\n";
  }
  std::cout << "\n  COMMAND --help   describe a command and its options\n"
               "  --version        print version, commit and plugin paths\n";
}

const Command& find_command(const std::string& name, std::span<const Command> commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) {
    if (command.name == name) return command;
    names.emplace_back(command.name);
  }
  const auto nearest = find_nearest(name, names);
  fail(ErrorCode::invalid_argument, "unknown command '", name, "'\n",
       nearest ? str("did you mean: meshwright ", *nearest) : "see: meshwright --help");
}

int run(const Args& args, std::span<const Command> commands) {
  if (args.empty() || args[0] == "--help" || args[0] == "-h" || args[0] == "help") {
    print_help(commands);
    return static_cast<int>(args.empty() ? ExitCode::usage : ExitCode::done);
  }
  if (args[0] == "--version") {
    std::cout << full_version() << "\n";
    return static_cast<int>(ExitCode::done);
  }
  const Command& command = find_command(args[0], commands);
  return command.run(Args(args.begin() + 1, args.end()));
}

[[noreturn]] void fail_to_print() {
  const int mode = ::fcntl(STDOUT_FILENO, F_GETFL);
  if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY)
    fail(ErrorCode::invalid_argument, "stdout is closed, so the result cannot be printed");
  fail(ErrorCode::unavailable, "writing to stdout failed\nis the disk full?");
}

}  // namespace

int dispatch(const Args& args, std::span<const Command> commands) {
  set_wording(Advice::begin_anew, "--fresh");
  set_wording(Advice::go_back, "--go-back");
  set_wording(Advice::choose_plugin, "--plugin PATH");
  set_wording(Advice::max_tokens, "--max-tokens");
  try {
    const int code = run(args, commands);
    std::cout.flush();
    if (!std::cout) fail_to_print();
    return code;
  } catch (...) {
    const Failure failure = describe_failure(std::current_exception());
    std::cout.flush();
    std::cerr << "meshwright: " << failure.message << "\n";
    return static_cast<int>(failure.exit_code);
  }
}

}  // namespace meshwright::cli
