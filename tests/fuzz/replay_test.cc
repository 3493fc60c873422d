// SPDX-License-Identifier: Apache-2.0
// Earlier findings stay fixed, and the readers survive inputs that differ from them in a byte or
// two.
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "corpus.h"
#include "mutation.h"
#include "target.h"

namespace meshwright::fuzz {
namespace {

TEST(Fuzz, NoInputOfTheCorpusIsAFinding) {
  for (const Target& target : targets()) {
    for (const std::string& bytes : corpus(target.name))
      EXPECT_EQ(finding(target, bytes), "") << target.name << " of\n" << bytes;
  }
}

TEST(Fuzz, NoNeighbourOfTheCorpusIsAFinding) {
  for (const Target& target : targets()) {
    std::vector<std::string> inputs = corpus(target.name);
    Mutator mutator(1);
    for (int i = 0; i < 300; ++i) {
      std::string bytes = mutator.mutated(inputs);
      EXPECT_EQ(finding(target, bytes), "") << target.name << " of\n" << bytes;
    }
  }
}

}  // namespace
}  // namespace meshwright::fuzz
