// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "meshwright/base/log_testutil.h"
#include "meshwright/base/str.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/cli/commands.h"

namespace meshwright::cli {

/// Runs `data ...` on files in a temporary folder.
class DataCommands : public testing::Test {
 protected:
  struct Ran {
    int code = -1;
    std::string out, log;
  };

  static Ran run(const Args& args) {
    Ran ran;
    const CapturedLog log;
    testing::internal::CaptureStdout();
    try {
      ran.code = run_group("data", data_commands(), args);
    } catch (...) {
      testing::internal::GetCapturedStdout();
      throw;
    }
    ran.log = log.text();
    ran.out = testing::internal::GetCapturedStdout();
    return ran;
  }

  /// Returns the path of a new file.
  std::string write(const std::string& name, const std::string& content) const {
    std::string path = folder.path() / name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  /// Returns the arguments of a command on a mixture of `prose`, 20 records, and `code`, 10
  /// records, 4 of which are equal to others.
  Args mixture(const std::string& command) const {
    std::string prose, code;
    for (int i = 0; i < 20; ++i)
      prose += str(R"({"text": "sentence )", i, "\"}\n");
    for (int i = 0; i < 10; ++i)
      code += str("{\"text\": \"f(", i % 6, ")\"}\n");
    Args out = {command, "mixture", "data.batch_size=4",
                "data.parts.prose.path=" + write("prose.jsonl", prose),
                "data.parts.code.path=" + write("code.jsonl", code)};
    for (const std::string part : {"prose", "code"})
      for (const std::string& setting :
           {str("cache=", folder.path().string(), "/cache"), std::string("length=24"),
            std::string("rows=single"), std::string("held_out=0")})
        out.push_back(str("data.parts.", part, ".", setting));
    return out;
  }

  TemporaryFolder folder;
};

}  // namespace meshwright::cli
