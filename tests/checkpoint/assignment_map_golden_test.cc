// SPDX-License-Identifier: Apache-2.0
// Rules for names give each array the source that T5X's assignment maps give it.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/json_value.h"
#include "meshwright/base/log.h"
#include "meshwright/checkpoint/containers/all_containers.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/io/io_testutil.h"
#include "meshwright/train/restore/restore_builder.h"
#include "meshwright/train/restore/state_converters.h"
#include "meshwright/train/step/state_testutil.h"

namespace meshwright::train {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

std::vector<std::string> names(const JsonValue& list) {
  std::vector<std::string> out;
  for (const JsonValue& item : list.as_array())
    out.push_back(item.as_text());
  return out;
}

std::vector<RenameRule> rules_of(const JsonValue& a_case) {
  std::vector<RenameRule> out;
  for (const JsonValue& rule : a_case.at("rules").as_array()) {
    const JsonValue& source = rule.as_array().at(1);
    out.push_back({Regex(rule.as_array().at(0).as_text()),
                   source.is_text() ? std::optional(source.as_text()) : std::nullopt});
  }
  return out;
}

class AssignmentMap : public testing::Test {
 protected:
  // Restores the case's target, which is 0, from a checkpoint whose arrays have other values.
  BuildState restored(const JsonValue& a_case, bool may_lack) {
    const io::TemporaryFolder folder;
    checkpoint::Contents contents;
    value_of_name_.clear();
    for (const std::string& name : names(a_case.at("checkpoint"))) {
      const double number = value_of_name_[name] = static_cast<double>(value_of_name_.size());
      const HostTensor value = numbers({static_cast<float>(number)});
      contents.arrays[name] = checkpoint::ArrayParts{value.type(), {{{{0, 1}}, value}}};
    }
    write_checkpoint(*checkpoint::find_container("npz"),
                     io::open_file_system(folder.path().string()), "a.npz",
                     pending_checkpoint(contents));
    std::map<std::string, HostTensor> zeros;
    for (const std::string& name : names(a_case.at("target")))
      zeros[name] = numbers({0});
    return restore_and_convert(
               from_checkpoint({.folder = folder.path() / "a.npz", .may_lack = may_lack}),
               rename(rules_of(a_case)))
        .build(initial_state(zeros));
  }

  std::map<std::string, double> value_of_name_;
  ScopedLogHandler quiet_{[](Severity, std::string_view) {}};
};

JsonValue cases() {
  const auto files = io::open_file_system(GOLDEN_FOLDER);
  return parse_json(io::read_text(*files, "cases.json", 1 << 20), "cases.json");
}

TEST_F(AssignmentMap, GivesTheSourcesThatT5xGives) {
  const JsonValue all = cases();
  for (const JsonValue& a_case : all.as_array()) {
    if (a_case.at("error").is_text()) continue;
    const BuildState built = restored(a_case, /*may_lack=*/true);
    for (const auto& [target, source] : a_case.at("result").as_object()) {
      const double expected = source.is_text() ? value_of_name_.at(source.as_text()) : 0;
      EXPECT_EQ(value_of(built, target).at(0), expected) << target << " of " << to_string(a_case);
    }
  }
}

TEST_F(AssignmentMap, FailsWhereT5xFails) {
  const JsonValue all = cases();
  for (const JsonValue& a_case : all.as_array()) {
    if (!a_case.at("error").is_text()) continue;
    const bool is_unused = a_case.at("error").as_text() == "unused";
    EXPECT_THAT(message_of([&] { restored(a_case, /*may_lack=*/is_unused); }),
                is_unused
                    ? testing::Matcher<std::string>(HasSubstr("matches no array"))
                    : AnyOf(HasSubstr("not in the checkpoint"), HasSubstr("matches no array")))
        << to_string(a_case);
  }
}

}  // namespace
}  // namespace meshwright::train
