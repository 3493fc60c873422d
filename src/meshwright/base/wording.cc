// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/wording.h"

#include <array>
#include <mutex>
#include <utility>

namespace meshwright {
namespace {

constexpr std::array kInLibrary = {"Job::fresh", "Job::goes_back", "ClientOptions::plugin_path",
                                   "GenerateOptions::max_tokens"};

std::mutex mutex;

std::array<std::string, kInLibrary.size()>& words_of_program() {
  static std::array<std::string, kInLibrary.size()> words;
  return words;
}

}  // namespace

std::string wording(Advice advice) {
  const auto number = static_cast<std::size_t>(advice);
  const std::lock_guard lock(mutex);
  const std::string& words = words_of_program().at(number);
  return words.empty() ? kInLibrary.at(number) : words;
}

void set_wording(Advice advice, std::string words) {
  const std::lock_guard lock(mutex);
  words_of_program().at(static_cast<std::size_t>(advice)) = std::move(words);
}

}  // namespace meshwright
