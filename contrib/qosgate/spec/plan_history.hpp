// SPDX-License-Identifier: GPL-2.0-or-later
//
// History: each plan that was carried out here, and what must be known to undo it.
#pragma once

#include "access/grants.hpp"

#include "qosgate/base/result.hpp"
#include "qosgate/spec/history.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace qg::cli {

struct HistoryEntry {
    std::size_t number = 0;
    spec::HistoryRecord record;
};

/// The entries are files in a directory, one each: "000012-20261124T181500.json", of mode 0600. Only the
/// latest 1,000 are kept. Threads: any; several processes may use the same directory.
class History {
  public:
    /// An empty `directory`: the directory `history` in default_state_directory(). Makes it.
    /// Errors: those of make_state_directory().
    static Result<History> open(const std::string& directory);

    /// Writes an entry to the disk, with the temporary access that the plan touches, and the entry that it
    /// undoes (0: none). It is open until close() is called. Returns its number. Errors: unavailable.
    [[nodiscard]] Result<std::size_t> keep(const spec::Plan& plan, const spec::LiveState& before,
                                           const TouchedGrants& temporary, std::size_t undoes) const;

    /// Says of an entry that its plan was carried out. Errors: as read(); unavailable.
    [[nodiscard]] Result<void> close(std::size_t number) const;

    /// Removes an entry, because nothing came of it. Never fails.
    void forget(std::size_t number) const noexcept;

    /// All entries, the latest first. Errors: unavailable; those of spec::history_from_text(), with the file.
    [[nodiscard]] Result<std::vector<HistoryEntry>> read_all() const;

    /// The entry that has undone this one and was not undone itself; 0: there is none. Errors:
    /// as read_all(), of later entries.
    [[nodiscard]] Result<std::size_t> find_undoing(std::size_t number) const;

    /// 0: the latest. Errors: not_found, with what there is; those of spec::history_from_text().
    [[nodiscard]] Result<HistoryEntry> read(std::size_t number) const;

    [[nodiscard]] const std::filesystem::path& directory() const noexcept { return directory_; }

  private:
    explicit History(std::filesystem::path directory) : directory_(std::move(directory)) {}

    /// The files by number.
    [[nodiscard]] Result<std::map<std::size_t, std::filesystem::path>> files() const;

    std::filesystem::path directory_;
};

} // namespace qg::cli
