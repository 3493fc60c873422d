// SPDX-License-Identifier: Apache-2.0
// Checks that every key of docs/config.md has an effect.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "key_case.h"
#include "meshwright/base/log.h"
#include "meshwright/cli/config_args.h"
#include "meshwright/cli/run_config.h"
#include "meshwright/config/config.h"
#include "meshwright/config/sections.h"
#include "meshwright/io/io_testutil.h"
#include "named_tests.h"

namespace meshwright::config_keys {
namespace {

struct Case {
  SectionCases section;  // without its keys
  KeyCase key;

  std::string id() const { return section.id.empty() ? key.key : str(section.id, '.', key.key); }
  Observer observer() const { return key.observe != nullptr ? key.observe : section.observe; }
  std::vector<std::string> overrides() const {
    std::vector<std::string> out = section.with;
    out.insert(out.end(), key.with.begin(), key.with.end());
    return out;
  }
};

std::vector<Case> all_cases() {
  std::vector<Case> out;
  for (SectionCases section : cases()) {
    for (KeyCase& key : std::exchange(section.keys, {}))
      out.push_back({section, std::move(key)});
  }
  return out;
}

// Returns the path of a key in the small configs: "evaluators.name.outputs.arrays" for
// "evaluators.NAME.outputs.arrays", and "optimizer.b1" for "optimizer[lion].b1".
std::string path_of(const std::string& id) {
  std::string out;
  int depth = 0;
  for (const char c : id) {
    if (c == '[') ++depth;
    if (depth == 0) out += c;
    if (c == ']') --depth;
  }
  if (const std::size_t at = out.find("NAME"); at != out.npos) out.replace(at, 4, "name");
  return out;
}

// Each override applies to the result of those before it.
cli::RunConfig config_of(const Case& one, const std::vector<std::string>& overrides) {
  const io::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "small.toml";
  std::ofstream(file) << one.section.base;
  for (const std::string& word : overrides) {
    const config::Node tree = config::load_tree(file, std::vector{word});
    std::ofstream(file) << config::toml_document(*tree.table());
  }
  return config::from_tree<cli::RunConfig>(cli::load_config_tree(file, {}));
}

// Returns the observation of the unchanged small config, which many keys share.
const std::string& seen_without_change(const Case& one) {
  static std::map<std::string, std::string> known;
  const auto observer = reinterpret_cast<std::uintptr_t>(one.observer());
  const auto [entry, is_new] =
      known.try_emplace(str(one.section.base, observer, join(one.overrides(), "\n")));
  if (is_new) {
    const cli::RunConfig config = config_of(one, one.overrides());
    entry->second = one.observer()(config);
    EXPECT_NE(entry->second, "") << "nothing is observed";
    EXPECT_EQ(one.observer()(config), entry->second)
        << "the observer depends on more than a config";
  }
  return entry->second;
}

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.id();
}

class ConfigKey : public testing::TestWithParam<Case> {};

TEST_P(ConfigKey, HasAnEffect) {
  const Case& one = GetParam();
  const ScopedLogHandler quiet([](Severity, std::string_view) {});
  if (!one.key.observed_by.empty()) {
    EXPECT_EQ(flaw_of_named_test(one.key.observed_by, one.key.key), "");
    return;
  }
  std::vector<std::string> overrides = one.overrides();
  overrides.push_back(str(path_of(one.id()), '=', one.key.value));
  const std::string before = seen_without_change(one);
  const std::string after = one.observer()(config_of(one, overrides));
  EXPECT_FALSE(before == after) << "ignored: " << overrides.back();
}

// Returns a name such as "optimizer_adamw_b1_7"; the number distinguishes the cases of one key.
std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string out;
  for (const char c : info.param.id()) {
    const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (is_word || (!out.empty() && out.back() != '_')) out += is_word ? c : '_';
  }
  return str(out, '_', info.index);
}
INSTANTIATE_TEST_SUITE_P(Reference, ConfigKey, testing::ValuesIn(all_cases()), name_of);

// True for a table without a value of its own, whose keys are observed individually.
bool is_only_a_table(const config::SectionKey& key) {
  const config::Type& type = *key.found.field.type;
  if (!key.described_at.empty()) return false;
  if (type.kind == config::Kind::table) return true;
  return type.kind == config::Kind::variant &&
         std::ranges::none_of(type.variant.alternatives,
                              [](const auto& alternative) { return alternative.tag.empty(); });
}

std::set<std::string> keys_to_observe() {
  std::set<std::string> out;
  for (const config::Section& section : config::sections(config::type_of<cli::RunConfig>())) {
    for (const config::SectionKey& key : section.keys)
      if (!is_only_a_table(key)) out.insert(key.id);
  }
  return out;
}

TEST(ConfigKeys, AllHaveACase) {
  std::set<std::string> missing = keys_to_observe();
  for (const Case& one : all_cases())
    missing.erase(one.id());
  EXPECT_EQ(join(missing, "\n"), "") << "each needs a case in tests/config_keys";
}

TEST(ConfigKeys, AllCasesAreOfKeys) {
  const std::set<std::string> known = keys_to_observe();
  for (const Case& one : all_cases())
    EXPECT_TRUE(known.contains(one.id())) << "there is no key " << one.id();
}

}  // namespace
}  // namespace meshwright::config_keys
