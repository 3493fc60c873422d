// SPDX-License-Identifier: Apache-2.0
#include "named_tests.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>

#include "meshwright/base/str.h"

namespace meshwright::config_keys {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_test_file(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.ends_with("_test.cc") || name.ends_with("_test.py");
}

// Returns the text of every file of tests, by path, except those of this folder, which only name
// other tests.
const std::map<fs::path, std::string>& test_files() {
  static const std::map<fs::path, std::string> kFiles = [] {
    std::map<fs::path, std::string> out;
    for (const char* folder : {"src", "tests"}) {
      for (const fs::directory_entry& entry :
           fs::recursive_directory_iterator(fs::path(MW_SOURCE_DIR) / folder))
        if (is_test_file(entry.path())) out[entry.path()] = text_of(entry.path());
    }
    return out;
  }();
  return kFiles;
}

bool has_test(const fs::path& file, const std::string& text, const std::string& test) {
  const std::size_t colon = test.find(": ");
  if (colon != std::string::npos) {
    return file.filename() == test.substr(0, colon) &&
           text.find(str("def ", test.substr(colon + 2), "(")) != std::string::npos;
  }
  const std::size_t dot = test.find('.');
  const std::regex pattern(
      str("TEST(_[FP])?\\(", test.substr(0, dot), ",\\s*", test.substr(dot + 1), "\\)"));
  return std::regex_search(text, pattern);
}

}  // namespace

std::string flaw_of_named_test(const std::string& test, const std::string& key) {
  std::string flaw = str("no test file has ", test);
  for (const auto& [file, text] : test_files()) {
    if (!has_test(file, text, test)) continue;
    if (std::regex_search(text, std::regex(str("\\b", key, "\\b")))) return "";
    flaw = str(file.filename().string(), ", which has ", test, ", does not mention ", key);
  }
  return flaw;
}

}  // namespace meshwright::config_keys
