// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/files/reading_times.hpp"

#include "qosgate/policy/source_files.hpp"

namespace qg::policy {
namespace {

/// How many checks in a row may find the directory changing before it is read anyway.
constexpr unsigned max_unsettled_checks = 3;
/// How many checks after a change read the files although they look unchanged: two writes within one tick of
/// the file system's clock look the same.
constexpr unsigned careful_checks = 6;
/// After this many checks without a change the files are read anyway (the times of some file systems are not
/// reliable).
constexpr unsigned full_read_checks = 75;

} // namespace

bool ReadingTimes::is_time_to_read(const std::filesystem::path& directory) {
    const std::uint64_t now = stat_signature(directory, other_paths_);
    ++quiet_checks_;
    if (now != signature_) {
        signature_ = now;
        quiet_checks_ = 0;
        return ++unsettled_checks_ >= max_unsettled_checks;
    }
    unsettled_checks_ = 0;
    return quiet_checks_ <= careful_checks || quiet_checks_ % full_read_checks == 0;
}

} // namespace qg::policy
