// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/json_value.h"
#include "meshwright/data/records/record_reader.h"

namespace meshwright::data {
namespace {

const std::string kFolder = GOLDEN_FOLDER;

std::vector<std::string> expected_texts() {
  const JsonValue expected = parse_json(file_text(kFolder + "/expected.json"), "expected.json");
  std::vector<std::string> out;
  for (const JsonValue& value : expected.as_array())
    out.push_back(value.as_text());
  return out;
}

TEST(GoldenRecords, EqualThoseThatWereWritten) {
  const std::vector<std::string> expected = expected_texts();
  ASSERT_EQ(expected.size(), 200U);
  const std::vector<DataFile> files = find_data_files({kFolder + "/*.jsonl.*"});
  ASSERT_EQ(files.size(), 6U);
  for (const DataFile& file : files) {
    std::vector<std::string> texts;
    RecordReader reader({file}, {});
    while (std::optional<Record> record = reader.next())
      texts.emplace_back(record->text());
    EXPECT_EQ(texts, expected) << file.path;
  }
}

}  // namespace
}  // namespace meshwright::data
