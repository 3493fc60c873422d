// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/restore/config_changes.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>

#include "meshwright/base/log.h"
#include "meshwright/base/regex.h"
#include "meshwright/checkpoint/run/run_files.h"
#include "meshwright/config/difference.h"
#include "meshwright/config/parse_toml.h"
#include "meshwright/config/toml_text.h"

namespace meshwright::train {
namespace {

using config::Difference;
using config::Node;

constexpr const char* kMaxStep = "max_step";
constexpr const char* kNone = "(none)";
constexpr std::string_view kType = ".type";

// Full keys. A policy is a table or a list of tables.
constexpr std::array kHarmless = {
    R"(dir|log_prefix|verbosity|peak_flops)",
    R"((sinks|wandb|log|summaries|order|preset|trace|watchdog|sdc_check|init_state)(\..*)?)",
    R"(non_finite\.explain)",
    R"(checkpoint\.(when(\..*)?|restore_.*|snapshot|staging_bytes|when_busy|replica_parallel))",
    R"(checkpoint\.(threads|max_failed_saves))",
    R"(prefetch\.(threads|depth|timeout_seconds))",
    R"(evaluators\..*\.((when|outputs|trace_batches)(\..*)?|num_shown))",
    R"(mesh\.(selector|rules(\..*)?))",
};
constexpr const char* kOfState = R"((task|optimizer|learner)(\..*)?)";
constexpr const char* kOfData = R"(seed|data(\..*)?)";

bool matches_any(const std::string& key) {
  static const std::vector<Regex> patterns(kHarmless.begin(), kHarmless.end());
  return std::ranges::any_of(patterns, [&](const Regex& regex) { return regex.matches(key); });
}

// An unreadable config does not keep a run from continuing.
std::optional<Node> find_tree(const std::string& toml) {
  if (toml.empty()) return std::nullopt;
  try {
    return config::parse_toml(
        std::make_shared<const config::Source>(config::Source{checkpoint::kRunConfig, toml}));
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string parent_of(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

// Another type has other keys, so their defaults cannot be compared.
bool is_of_another_type(const Difference& found, const std::set<std::string>& paths) {
  if (found.left != nullptr && found.right != nullptr) return false;
  return paths.contains(parent_of(found.path) + std::string(kType));
}

ConfigChange change_of(const Difference& found, bool is_scheduled) {
  auto text = [&](const Node* node, bool in_full) {
    if (node == nullptr) return std::string(kNone);
    return in_full ? toml_value(*node) : short_toml_value(*node);
  };
  ConfigChange out{.key = found.path,
                   .before = text(found.left, false),
                   .now = text(found.right, false),
                   .is_harmless = is_harmless(found.path, is_scheduled)};
  if (out.before == out.now) {  // both were truncated
    out.before = text(found.left, true);
    out.now = text(found.right, true);
  }
  return out;
}

std::vector<ConfigChange> select(const std::vector<ConfigChange>& changes, bool is_harmless) {
  std::vector<ConfigChange> out;
  std::ranges::copy_if(changes, std::back_inserter(out), [&](const ConfigChange& change) {
    return change.is_harmless == is_harmless;
  });
  return out;
}

std::vector<ConfigChange> matching(const std::vector<ConfigChange>& changes, const Regex& keys) {
  std::vector<ConfigChange> out;
  std::ranges::copy_if(changes, std::back_inserter(out),
                       [&](const ConfigChange& change) { return keys.matches(change.key); });
  return out;
}

}  // namespace

bool is_harmless(const std::string& key, bool is_scheduled) {
  return key == kMaxStep ? !is_scheduled : matches_any(key);
}

std::vector<ConfigChange> config_changes(const std::string& before,
                                         const std::string& now,
                                         bool is_scheduled) {
  const std::optional<Node> left = find_tree(before), right = find_tree(now);
  if (!left || !right) return {};
  const std::vector<Difference> found = differences(*left, *right);
  std::set<std::string> paths;
  for (const Difference& difference : found)
    paths.insert(difference.path);
  std::vector<ConfigChange> out;
  for (const Difference& difference : found)
    if (!is_of_another_type(difference, paths)) out.push_back(change_of(difference, is_scheduled));
  return out;
}

std::vector<ConfigChange> changes_since(const checkpoint::Stored& stored,
                                        const std::string& now,
                                        bool is_scheduled) {
  const checkpoint::Meta* config = stored.meta.find("config");
  if (config == nullptr || !config->is_leaf()) return {};
  const auto* before = std::get_if<std::string>(&config->value());
  if (before == nullptr) return {};
  return config_changes(*before, now, is_scheduled);
}

std::string text_of(const std::vector<ConfigChange>& changes) {
  std::string out;
  for (const ConfigChange& change : changes)
    out += str("\n  ", change.key, ": ", change.before, " before, ", change.now, " now");
  return out;
}

std::vector<ConfigChange> changes_of_state(const std::vector<ConfigChange>& changes) {
  static const Regex keys(kOfState);
  return matching(changes, keys);
}

std::vector<ConfigChange> changes_of_data(const std::vector<ConfigChange>& changes) {
  static const Regex keys(kOfData);
  return matching(changes, keys);
}

std::string reason_of(const std::vector<ConfigChange>& changes, std::int64_t step) {
  if (changes.empty()) return "";
  return str("the config has changed since the checkpoint of step ", step, ":", text_of(changes),
             "\n");
}

void tell(const std::vector<ConfigChange>& changes, std::int64_t step) {
  const std::vector<ConfigChange> risky = select(changes, false), harmless = select(changes, true);
  if (!risky.empty())
    log_warning("the config has changed since the checkpoint of step ", step, ":", text_of(risky));
  if (!harmless.empty())
    log_info("settings changed since the checkpoint of step ", step,
             ", without effect on training:", text_of(harmless));
}

}  // namespace meshwright::train
