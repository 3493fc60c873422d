// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "meshwright/base/check.h"
#include "parity_case.h"

namespace meshwright::optim {

std::vector<ParityCase> optimizer_cases() {
  std::vector<ParityCase> out = chain_cases();
  for (const auto& family :
       {adafactor_cases(), axlearn_cases(), t5x_cases(), big_vision_cases(parity_specs())})
    out.insert(out.end(), family.begin(), family.end());
  return out;
}

ParityCase optimizer_case(const std::string& name) {
  std::vector<ParityCase> cases = optimizer_cases();
  const auto found = std::ranges::find(cases, name, &ParityCase::name);
  MW_CHECK(found != cases.end(), "no optimizer is compared as '", name, "'");
  return std::move(*found);
}

}  // namespace meshwright::optim
