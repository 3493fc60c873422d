// SPDX-License-Identifier: Apache-2.0
// Initial values are bitwise equal to those of JAX: tests/golden/nn/inits.txt has their digests.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "meshwright/base/hex.h"
#include "meshwright/base/md5.h"
#include "nn_inits.h"
#include "nn_testutil.h"

namespace meshwright::nn {
namespace {

std::map<std::string, std::string> golden_digests(const std::string& dtype) {
  std::ifstream file(GOLDEN_FILE);
  std::map<std::string, std::string> out;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string name, of_dtype, digest;
    words >> of_dtype >> name >> digest;
    if (of_dtype == dtype) out[name] = digest;
  }
  return out;
}

TEST(InitialValues, AreThoseOfJax) {
  for (DType dtype : {f32, bf16}) {
    std::map<std::string, std::string> digests;
    for_each(drawn_values(Inits(dtype), 7), [&](const std::string& path, const HostTensor& value) {
      digests[path] = hex(md5(value.bytes()));
    });
    EXPECT_EQ(digests, golden_digests(str(dtype)));
  }
}

}  // namespace
}  // namespace meshwright::nn
