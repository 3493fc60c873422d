// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/exit_code.h"

#include <filesystem>
#include <new>

#include "meshwright/base/printable.h"
#include "meshwright/cli/remedies.h"
#include "meshwright/cli/version.h"

namespace meshwright::cli {
namespace {

Failure bug(std::string_view what) {
  return {ExitCode::bug,
          str(what, "\nthis is a bug in meshwright: please report it with the command line, this ",
              "message and: ", version_line())};
}

constexpr std::string_view kInvestigate = "do not retry; investigate";
constexpr std::string_view kRunAgain = "run the same command to resume";

constexpr ExitMeaning kMeanings[] = {
    {ExitCode::done, "done", "continue"},
    {ExitCode::no,
     "`config diff` or `ckpt diff` found differences, `ckpt verify` or `data verify` found damage, "
     "or `plan` found that the config does not fit",
     "depends on the script"},
    {ExitCode::usage, "the config or the command line is wrong, or this version cannot do it",
     kInvestigate},
    {ExitCode::data, "data is damaged or missing", kInvestigate},
    {ExitCode::no_checkpoint,
     "no checkpoint can be used, or the run's folder or its `checkpoints` was moved, removed or "
     "replaced while it trained",
     "do not retry; investigate, or start over with `train --fresh`"},
    {ExitCode::numerics, "a loss or gradient is not finite and the config says to stop",
     kInvestigate},
    {ExitCode::device,
     "a device, driver or plugin failed, repeating an update gave different bits (`sdc_check`), or "
     "memory ran out",
     "try another machine"},
    {ExitCode::bug, "a bug in Meshwright", "report it, with the message"},
    {ExitCode::retry,
     "something was unavailable, such as disk space or a connection, or the run hung and "
     "`crash_on_hang` ended it",
     "try again later"},
    {ExitCode::hung_up,
     "stopped by SIGHUP, for example when the terminal was closed: after saving, or before the "
     "first update",
     kRunAgain},
    {ExitCode::interrupted,
     "stopped by an interrupt (Ctrl-C): after saving, before the first update, or at once on a "
     "repeated signal",
     kRunAgain},
    {ExitCode::preempted,
     "stopped by SIGTERM: after saving, before the first update, or at once on a repeated signal",
     kRunAgain},
    {ExitCode::out_of_cpu_time,
     "stopped by SIGXCPU, which a CPU-time limit sends: after saving, or before the first update",
     "raise the limit and run the same command to resume"},
};

}  // namespace

std::span<const ExitMeaning> exit_meanings() {
  return kMeanings;
}

ExitCode exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::not_found:
    case ErrorCode::already_exists:
    case ErrorCode::unimplemented:
      return ExitCode::usage;
    case ErrorCode::data_loss:
      return ExitCode::data;
    case ErrorCode::no_checkpoint:
      return ExitCode::no_checkpoint;
    case ErrorCode::unavailable:
    case ErrorCode::resource_exhausted:
      return ExitCode::retry;
    case ErrorCode::device:
      return ExitCode::device;
    case ErrorCode::numerics:
      return ExitCode::numerics;
    case ErrorCode::internal:
      return ExitCode::bug;
  }
  return ExitCode::bug;
}

Failure describe_failure(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    const ExitCode code = exit_code_of(error.code());
    return code == ExitCode::bug ? bug(error.what())
                                 : Failure{code, printable_message(message_in_program(error))};
  } catch (const std::filesystem::filesystem_error& error) {  // an inaccessible path
    return {ExitCode::usage, printable_message(error.what())};
  } catch (const std::bad_alloc&) {
    return {ExitCode::device,
            "out of host memory\nuse a smaller batch or model, or a machine with more memory"};
  } catch (const std::exception& error) {
    return bug(error.what());
  } catch (...) {
    return bug("unknown exception");
  }
}

}  // namespace meshwright::cli
