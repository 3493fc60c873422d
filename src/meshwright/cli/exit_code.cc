// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/exit_code.h"

#include <filesystem>
#include <new>

#include "meshwright/base/printable.h"
#include "meshwright/cli/version.h"

namespace meshwright::cli {
namespace {

Failure bug(std::string_view what) {
  return {ExitCode::bug,
          str(what, "\nthis is a bug of meshwright: please report it with the command line, this ",
              "message and: ", version_line())};
}

}  // namespace

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
                                 : Failure{code, printable_message(error.what())};
  } catch (const std::filesystem::filesystem_error& error) {  // a path that cannot be looked at
    return {ExitCode::usage, printable_message(error.what())};
  } catch (const std::bad_alloc&) {
    return {ExitCode::device,
            "out of host memory\nuse a smaller batch or model, or a machine with more memory"};
  } catch (const std::exception& error) {
    return bug(error.what());
  } catch (...) {
    return bug("an exception that is no std::exception");
  }
}

}  // namespace meshwright::cli
