// SPDX-License-Identifier: Apache-2.0
// The file has a line with the identity of the copy, and then a line for each piece:
//   CRC ARRAY PIECE RECEIPT       7d3a90f1 12 0:4,8:16 65536 3735928559
// where CRC is that of the rest of the line and PIECE is - for an array without dimensions.
#include "meshwright/checkpoint/convert/copy_journal.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/crc32c.h"
#include "meshwright/base/digest.h"
#include "meshwright/base/error.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

constexpr std::uint64_t kMaxJournalBytes = std::uint64_t{1} << 30;

std::string key_of(std::size_t array, const Ranges& piece) {
  std::string out = str(array, " ");
  for (const Range& range : piece)
    out += str(to_string(range), ",");
  if (piece.empty()) return out + "-";
  out.pop_back();
  return out;
}

std::string with_crc(const std::string& text) {
  return str(crc32c(text), " ", text);
}

}  // namespace

CopyJournal::CopyJournal(Files files, std::string path, const std::string& identity)
    : files_(std::move(files)),
      path_(std::move(path)),
      head_(with_crc(str("meshwright copy 1 ", digest_hex(identity)))) {
  if (io::is_file(*files_, path_)) read();
}

void CopyJournal::read() {
  const std::string text = io::read_text(*files_, path_, kMaxJournalBytes);
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find('\n', at);
    if (end == text.npos) break;
    const std::string line = text.substr(at, end - at);
    if (at == 0) {
      if (line != head_) break;
      exists_ = true;
    } else {
      const std::size_t crc_end = std::min(line.find(' '), line.size() - 1);
      const std::string entry = line.substr(crc_end + 1);
      const std::size_t array_end = entry.find(' ');
      const std::size_t piece_end = entry.find(' ', array_end + 1);
      if (line != with_crc(entry) || piece_end == entry.npos) break;
      receipts_[entry.substr(0, piece_end)] = entry.substr(piece_end + 1);
    }
    num_valid_bytes_ = at = end + 1;
  }
}

std::optional<std::string> CopyJournal::find(std::size_t array, const Ranges& piece) const {
  const auto found = receipts_.find(key_of(array, piece));
  return found == receipts_.end() ? std::nullopt : std::optional(found->second);
}

// A journal of another copy and a damaged end are cut off.
void CopyJournal::begin() {
  file_ = files_->append(path_);
  if (file_->num_bytes() > num_valid_bytes_) file_->truncate(num_valid_bytes_);
  if (exists_) return;
  file_->append(io::as_bytes(head_ + "\n"));
  files_->sync_folder(io::parent_of(path_));
  exists_ = true;
}

void CopyJournal::append(const std::vector<Entry>& entries) {
  if (!file_) begin();
  std::string text;
  for (const Entry& entry : entries)
    text += str(with_crc(str(key_of(entry.array, entry.piece), " ", entry.receipt)), "\n");
  file_->append(io::as_bytes(text));
  file_->sync();
}

void CopyJournal::remove() {
  file_.reset();
  if (files_->find(path_)) {
    files_->remove(path_);
    files_->sync_folder(io::parent_of(path_));
  }
  exists_ = false;
}

}  // namespace meshwright::checkpoint
