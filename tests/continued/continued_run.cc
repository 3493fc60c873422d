// SPDX-License-Identifier: Apache-2.0
#include "continued_run.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "meshwright/base/json_value.h"
#include "meshwright/base/str.h"
#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/run/locate.h"
#include "npy/npy.h"

namespace meshwright::test_continued {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

HostTensor golden(const std::string& file) {
  return test_npy::read_npy(fs::path(GOLDEN_FOLDER) / file);
}

ContinuedRun::ContinuedRun(std::string system) : system_(std::move(system)) {
  fs::create_directories(folder_.path() / "run");
  const fs::path theirs = fs::path(GOLDEN_FOLDER) / system_ / "run/checkpoints";
  if (fs::exists(theirs)) fs::copy(theirs, checkpoints(), fs::copy_options::recursive);
}

std::string ContinuedRun::train(int max_step,
                                const std::vector<std::string>& more_words,
                                int exit_code) const {
  return train_in("run", max_step, more_words, exit_code);
}

std::string ContinuedRun::train_in(const std::string& name,
                                   int max_step,
                                   const std::vector<std::string>& more_words,
                                   int exit_code) const {
  const fs::path log = folder_.path() / "log";
  std::string command =
      str("'" MESHWRIGHT "' train '" CONFIGS "/", system_,
          ".toml' 'dir=", (folder_.path() / name).string(), "' max_step=", max_step);
  for (const std::string& word : more_words)
    command += str(" '", word, "'");
  command += str(" > '", log.string(), "' 2>&1");
  const int status = std::system(command.c_str());
  std::string said = text_of(log);
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, exit_code) << said;
  return said;
}

std::map<std::string, HostTensor> ContinuedRun::arrays(std::string_view step,
                                                       const std::string& name) const {
  const fs::path folder = checkpoints(name) / step;
  const checkpoint::Location location = checkpoint::locate(folder.string());
  const checkpoint::Stored stored =
      location.container->open(location.files, location.step().folder);
  std::map<std::string, HostTensor> out;
  for_each(checkpoint::read_contents(stored).arrays,
           [&](const std::string& path, const checkpoint::ArrayParts& parts) {
             out[path] = checkpoint::assemble(parts);
           });
  return out;
}

double ContinuedRun::metric(int step, const std::string& name) const {
  std::istringstream file(text_of(folder_.path() / "run/metrics.jsonl"));
  for (std::string line; std::getline(file, line);) {
    const JsonValue json = parse_json(line, "metrics.jsonl");
    const JsonValue* metrics = json.find("metrics");
    if (metrics == nullptr || json.at("step").as_integer() != step) continue;
    if (const JsonValue* value = metrics->find(name)) return value->as_number();
  }
  ADD_FAILURE() << "no " << name << " of step " << step;
  return 0;
}

void expect_near(const std::string& name,
                 std::span<const float> ours,
                 std::span<const float> theirs,
                 double tolerance) {
  double largest = 0;
  for (float value : theirs)
    largest = std::max(largest, std::abs(double{value}));
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const double limit = 2 * tolerance * std::abs(double{theirs[i]}) + tolerance * largest;
    ASSERT_LE(std::abs(double{ours[i]} - theirs[i]), limit)
        << name << " element " << i << ": " << ours[i] << ", expected " << theirs[i];
  }
}

void expect_floats(const std::map<std::string, HostTensor>& ours,
                   const HostTensor& theirs,
                   double tolerance) {
  std::size_t next = 0;
  for (const auto& [name, array] : ours) {
    if (array.dtype() != f32) continue;
    const std::span<const float> values = array.values<float>();
    ASSERT_LE(next + values.size(), theirs.values<float>().size());
    expect_near(name, values, theirs.values<float>().subspan(next, values.size()), tolerance);
    next += values.size();
  }
  EXPECT_EQ(next, theirs.values<float>().size());
}

}  // namespace meshwright::test_continued
