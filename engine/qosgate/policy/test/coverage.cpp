// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/test/coverage.hpp"

#include "qosgate/policy/lua/lua_state.hpp"
#include "qosgate/policy/test/code_lines.hpp"

#include <algorithm>

#include <lua.hpp>

namespace qg::policy {
namespace {

/// The budget counts as without it.
void note_line(lua_State* lua, lua_Debug* where) {
    if (where->event != LUA_HOOKLINE) return Budget::on_count(lua, where);
    lua_getinfo(lua, "S", where);
    if (std::string_view(where->what) == "main") return; // it runs whenever the file is loaded
    LuaState::of(lua).coverage->note({where->source, where->srclen}, where->currentline);
}

} // namespace

std::vector<int> Coverage::File::missed() const {
    std::vector<int> found;
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (!has_run[i]) found.push_back(lines[i]);
    return found;
}

Result<Coverage> Coverage::of(const SourceDirectory& sources) {
    Coverage coverage;
    for (const SourceFile& file : sources.files) {
        const SourceKind kind = kind_of(file.name);
        if (kind != SourceKind::rule && kind != SourceKind::module) continue;
        auto lines = find_code_lines(file);
        if (!lines) return lines.error();
        std::vector<bool> has_run(lines->size());
        coverage.files_.push_back({file.name, *std::move(lines), std::move(has_run)});
    }
    return coverage;
}

std::uint64_t Coverage::tests_of(std::string_view rule, JobEvent event) const {
    const auto found = tests_.find(rule);
    return found == tests_.end() ? 0 : found->second[static_cast<std::size_t>(event)];
}

void Coverage::watch(LuaState& state) noexcept {
    state.coverage = this;
    state.budget().watch_lines(&note_line);
}

void Coverage::count_test(JobEvent event, std::span<const std::string> rules) {
    for (const std::string& rule : rules)
        ++tests_[rule][static_cast<std::size_t>(event)];
}

void Coverage::note(std::string_view source, int line) noexcept {
    if (!source.starts_with('@')) return;
    source.remove_prefix(1);
    if (last_ >= files_.size() || files_[last_].name != source) {
        const auto found = std::ranges::find(files_, source, &File::name);
        if (found == files_.end()) return; // a module that is a part of the program
        last_ = static_cast<std::size_t>(found - files_.begin());
    }
    File& file = files_[last_];
    const auto at = std::ranges::lower_bound(file.lines, line);
    if (at != file.lines.end() && *at == line)
        file.has_run[static_cast<std::size_t>(at - file.lines.begin())] = true;
}

} // namespace qg::policy
