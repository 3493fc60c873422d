// SPDX-License-Identifier: Apache-2.0
// Tests of orthogonal initial values that nn_parity does not cover: orthonormal columns, and
// stacks.
#include "meshwright/nn/orthogonal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/nn/stack.h"
#include "nn_testutil.h"

namespace meshwright::nn {
namespace {

using testing::HasSubstr;

struct OneMatrix : Module {
  OneMatrix(Init init, std::int64_t rows, std::int64_t columns)
      : Module({{"row", rows}, {"column", columns}}) {
    param("w", "row column", std::move(init));
  }
};

// Vector i has the elements a[i * between + k * within]; its product with itself is scale^2.
void expect_orthonormal(const std::vector<double>& a,
                        std::size_t count,
                        std::size_t length,
                        std::size_t between,
                        std::size_t within,
                        double scale) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < length; ++k)
        product += a[i * between + k * within] * a[j * between + k * within];
      EXPECT_NEAR(product, i == j ? scale * scale : 0, 2e-6) << i << ' ' << j;
    }
  }
}

TEST(Orthogonal, ColumnsOrRowsAreOrthonormal) {
  OneMatrix tall(orthogonal(2.0), 7, 4);
  expect_orthonormal(drawn_values(tall).at("w").value().to_doubles(), 4, 7, 1, 4, 2.0);
  OneMatrix wide(orthogonal(), 4, 7);
  expect_orthonormal(drawn_values(wide).at("w").value().to_doubles(), 4, 7, 7, 1, 1.0);
  OneMatrix by_name(orthogonal(1.0, "row"), 3, 8);
  expect_orthonormal(drawn_values(by_name).at("w").value().to_doubles(), 3, 8, 8, 1, 1.0);
}

TEST(Orthogonal, LayersOfAStackAreDrawnOneByOne) {
  struct Layer : Module {
    using Module::Module;
    Param w = param("w", "row column", orthogonal());
  };
  struct Model : Module {
    Model() : Module({{"row", 5}, {"column", 3}, {"layers", 2}}) {}
    Stack<Layer> stack{this, "stack", {.axis = "layers"}};
  };
  std::vector<double> both = drawn_values(Model()).at("stack/w").value().to_doubles();
  ASSERT_EQ(both.size(), 30u);
  std::vector<double> first(both.begin(), both.begin() + 15), second(both.begin() + 15, both.end());
  expect_orthonormal(first, 3, 5, 1, 3, 1.0);
  expect_orthonormal(second, 3, 5, 1, 3, 1.0);
  EXPECT_NE(first, second);
}

TEST(Orthogonal, RefusesVectorsAndAxesThatAreNotThere) {
  struct Vector : Module {
    Vector() : Module({{"a", 4}}) { param("w", "a", orthogonal()); }
  };
  EXPECT_THAT(message_of([] { drawn_values(Vector()); }), HasSubstr("at least two dimensions"));
  EXPECT_THAT(message_of([] { drawn_values(OneMatrix(orthogonal(1, "rows"), 4, 4)); }),
              HasSubstr("no axis 'rows', only 'row column'"));
}

}  // namespace
}  // namespace meshwright::nn
