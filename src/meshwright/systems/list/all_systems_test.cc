// SPDX-License-Identifier: Apache-2.0
#include "meshwright/systems/list/all_systems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"

namespace meshwright::systems {
namespace {

using testing::HasSubstr;

TEST(AllSystems, AreFoundByName) {
  for (const train::ForeignSystem* system : all_systems())
    EXPECT_EQ(&system_named(system->name()), system);
}

TEST(AllSystems, AnUnknownNameIsAnErrorWithTheNearestOne) {
  EXPECT_THAT(message_of([] { system_named("big_visoin"); }),
              HasSubstr("did you mean 'big_vision'"));
}

}  // namespace
}  // namespace meshwright::systems
