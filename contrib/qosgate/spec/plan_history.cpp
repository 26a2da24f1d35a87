// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/plan_history.hpp"

#include "common/job_user.hpp"
#include "common/output.hpp"
#include "common/state_directory.hpp"

#include "qosgate/base/read_file.hpp"
#include "qosgate/base/replace_file.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <set>
#include <system_error>

namespace qg::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_entry = std::size_t{256} << 20u;
constexpr std::size_t max_entries = 1000;
constexpr std::uint64_t max_number = 999'999'999;
constexpr mode_t entry_mode = 0600;

/// The number that a name of a file begins with; 0: it is no entry.
std::size_t entry_number(const fs::path& file) {
    const std::string name = file.filename().string();
    const auto number = text::parse_unsigned(std::string_view(name).substr(0, name.find('-')));
    return number && *number <= max_number && name.ends_with(".json") ? static_cast<std::size_t>(*number) : 0;
}

Result<HistoryEntry> read_entry(std::size_t number, const fs::path& file) {
    const auto content = read_file(file.string(), max_entry);
    if (!content) return content.error();
    auto record = spec::history_from_text(*content, {});
    if (!record) return record.error().in(text::printable(file.string(), 1000));
    return HistoryEntry{number, *std::move(record)};
}

} // namespace

Result<History> History::open(const std::string& directory) {
    fs::path path = directory;
    if (directory.empty()) {
        const auto state = default_state_directory();
        if (!state) return state.error();
        if (const auto made = make_state_directory(*state); !made) return made.error();
        path = *state / "history";
    }
    if (const auto made = make_state_directory(path); !made) return made.error();
    return History(std::move(path));
}

Result<std::map<std::size_t, fs::path>> History::files() const {
    std::map<std::size_t, fs::path> found;
    std::error_code problem;
    std::error_code ignored;
    for (auto at = fs::directory_iterator(directory_, problem); !problem && at != fs::directory_iterator();
         at.increment(problem))
        if (const std::size_t number = entry_number(at->path()); number > 0 && at->is_regular_file(ignored))
            found.emplace(number, at->path());
    if (problem)
        return Error{ErrorCode::unavailable,
                     text::format("{}: {}", text::printable(directory_.string(), 1000), problem.message())};
    return found;
}

Result<std::size_t> History::keep(const spec::Plan& plan, const spec::LiveState& before,
                                  const TouchedGrants& temporary, std::size_t undoes) const {
    const auto lock = StateLock::take(directory_, "lock");
    if (!lock) return lock.error();
    const auto known = files();
    if (!known) return known.error();
    const std::size_t number = known->empty() ? 1 : known->rbegin()->first + 1;
    std::string time = text::local_time(std::time(nullptr));
    auto record = spec::make_history(plan, before, time, name_of_caller());
    record.is_open = true;
    record.undoes = undoes;
    for (const TemporaryGrant& grant : temporary.made_permanent)
        record.made_permanent.push_back(to_line(grant));
    for (const TemporaryGrant& grant : temporary.ended)
        record.ended.push_back(to_line(grant));
    std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
    const fs::path file = directory_ / text::format("{:06}-{}.json", number, time);
    const auto done = replace_file(file, spec::history_to_text(record), entry_mode, Durability::on_disk);
    if (!done) return done.error();
    std::size_t too_many = known->size() + 1 - std::min(known->size() + 1, max_entries);
    std::error_code ignored;
    for (auto at = known->begin(); too_many > 0; ++at, --too_many)
        fs::remove(at->second, ignored);
    return number;
}

Result<void> History::close(std::size_t number) const {
    auto entry = read(number);
    if (!entry) return entry.error();
    entry->record.is_open = false;
    const auto known = files();
    if (!known) return known.error();
    return replace_file(known->at(number), spec::history_to_text(entry->record), entry_mode,
                        Durability::on_disk);
}

void History::forget(std::size_t number) const noexcept {
    try {
        const auto known = files();
        std::error_code ignored;
        if (known && known->contains(number)) fs::remove(known->at(number), ignored);
    } catch (const std::exception&) {
        return; // an entry too many does no harm: undoing it finds nothing to undo
    }
}

Result<std::vector<HistoryEntry>> History::read_all() const {
    const auto known = files();
    if (!known) return known.error();
    std::vector<HistoryEntry> entries;
    for (auto at = known->rbegin(); at != known->rend(); ++at) {
        auto entry = read_entry(at->first, at->second);
        if (!entry) return entry.error();
        entries.push_back(*std::move(entry));
    }
    return entries;
}

Result<std::size_t> History::find_undoing(std::size_t number) const {
    const auto known = files();
    if (!known) return known.error();
    std::set<std::size_t> undone;
    for (auto at = known->rbegin(); at != known->rend() && at->first > number; ++at) {
        const auto entry = read_entry(at->first, at->second);
        if (!entry) return entry.error();
        if (entry->record.undoes == 0 || undone.contains(entry->number)) continue;
        if (entry->record.undoes == number) return entry->number;
        undone.insert(entry->record.undoes);
    }
    return std::size_t{0};
}

Result<HistoryEntry> History::read(std::size_t number) const {
    const auto known = files();
    if (!known) return known.error();
    if (known->empty())
        return Error{ErrorCode::not_found,
                     text::format("the history in {} is empty", text::printable(directory_.string(), 1000))};
    const auto found = number == 0 ? std::prev(known->end()) : known->find(number);
    if (found == known->end())
        return Error{ErrorCode::not_found, text::format("the history in {} has no entry {}: it has {} to {}",
                                                        text::printable(directory_.string(), 1000), number,
                                                        known->begin()->first, known->rbegin()->first)};
    return read_entry(found->first, found->second);
}

} // namespace qg::cli
