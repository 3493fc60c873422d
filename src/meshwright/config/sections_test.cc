// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/sections.h"

#include <gmock/gmock.h>

#include "meshwright/base/str.h"
#include "meshwright/config/config_testutil.h"

namespace meshwright::config {
namespace {

using testing::Contains;
using testing::ElementsAre;

std::vector<std::string> ids_of_sections() {
  std::vector<std::string> out;
  for (const Section& section : sections(type_of<Everything>()))
    out.push_back(section.id);
  return out;
}

TEST(Sections, AreOfEachTypeOnceWhereItIsMetFirst) {
  EXPECT_THAT(ids_of_sections(), ElementsAre("", "extra", "schedules.NAME[constant]",
                                             "schedules.NAME[cosine]", "schedules.NAME[joined]"));
}

TEST(Sections, HaveKeysThatSayWhereTheirValuesAreDescribed) {
  std::vector<std::string> out;
  for (const Section& section : sections(type_of<Everything>())) {
    for (const SectionKey& key : section.keys)
      if (!key.described_at.empty()) out.push_back(str(key.id, " as ", key.described_at));
  }
  EXPECT_THAT(out, ElementsAre("inner as extra", "inners as extra", "schedule as schedules.NAME",
                               "stages as schedules.NAME", "phases as schedules.NAME",
                               "schedules.NAME[joined].parts as schedules.NAME"));
}

TEST(Sections, NameKeysWithTheTagsAboveThem) {
  std::vector<std::string> ids, paths;
  for (const Section& section : sections(type_of<Everything>())) {
    for (const SectionKey& key : section.keys) {
      ids.push_back(key.id);
      paths.push_back(key.found.path);
    }
  }
  EXPECT_THAT(ids, Contains("schedules.NAME[cosine].peak"));
  EXPECT_THAT(paths, Contains("schedules.NAME.peak"));
}

}  // namespace
}  // namespace meshwright::config
