// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/test/coverage.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/lua/lua_state.hpp"
#include "qosgate/policy/lua/sandbox.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>

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

// ---- lines with code of functions ----------------------------------------------------------------------

namespace {

/// Reads what lua_dump() of Lua 5.4 writes (ldump.c). It only goes through what was written a moment ago; a
/// text that ends too early makes it end.
class ChunkReader {
  public:
    explicit ChunkReader(std::string_view chunk) : rest_(chunk) {}

    /// False: it is no chunk of Lua 5.4 with 8-byte numbers, or it is cut off.
    bool read(std::set<int>& lines) {
        constexpr std::size_t after_version = 8; // the format and a mark of six bytes, before the sizes
        constexpr std::size_t after_sizes = 16;  // an integer and a number
        constexpr std::uint8_t release = 0x54;
        if (take(4) != LUA_SIGNATURE || byte() != release) return false;
        skip(after_version - 1);
        if (byte() != instruction_size || byte() != number_size || byte() != number_size) return false;
        skip(after_sizes);
        byte(); // the number of upvalues
        read_function(lines, 0);
        return is_whole_;
    }

  private:
    static constexpr std::uint8_t instruction_size = 4;
    static constexpr std::uint8_t number_size = 8;
    static constexpr int max_depth = 250; // Lua allows 200

    std::string_view take(std::size_t size) {
        is_whole_ = is_whole_ && size <= rest_.size();
        if (!is_whole_) return {};
        const std::string_view taken = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return taken;
    }
    void skip(std::size_t size) { take(size); }
    std::uint8_t byte() {
        const std::string_view taken = take(1);
        return taken.empty() ? 0 : static_cast<std::uint8_t>(taken.front());
    }
    /// Seven bits in each byte; the last one has the eighth set.
    std::size_t size() {
        std::size_t value = 0;
        for (std::uint8_t part = 0; is_whole_ && (part & 0x80u) == 0;) {
            part = byte();
            value = (value << 7u) | (part & 0x7fu);
        }
        return value;
    }
    int number() { return static_cast<int>(std::min<std::size_t>(size(), std::numeric_limits<int>::max())); }
    void skip_text() {
        if (const std::size_t length = size(); length > 0) skip(length - 1);
    }
    template <typename Read>
    void repeat(Read read) {
        for (std::size_t count = size(); is_whole_ && count > 0; --count)
            read();
    }

    void skip_constant() {
        switch (byte()) {
        case LUA_TNUMBER:
        case LUA_TNUMBER | (1 << 4): return skip(number_size);
        case LUA_TSTRING:
        case LUA_TSTRING | (1 << 4): return skip_text();
        default: return; // nil, false and true
        }
    }

    void read_function(std::set<int>& lines, int depth) {
        is_whole_ = is_whole_ && depth < max_depth;
        if (!is_whole_) return;
        skip_text(); // the name of the source
        const int first_line = number();
        number(); // the last line
        byte();   // the number of parameters
        const bool is_vararg = byte() != 0;
        byte(); // the size of the stack
        skip(size() * instruction_size);
        repeat([&] { skip_constant(); });
        repeat([&] { skip(3); }); // upvalues
        repeat([&] { read_function(lines, depth + 1); });
        read_lines(lines, first_line, is_vararg, /*is_inner=*/depth > 0);
        repeat([&] { // local variables: name, begin and end
            skip_text();
            number();
            number();
        });
        repeat([&] { skip_text(); }); // names of upvalues
    }

    /// The difference of lines between an instruction and the one before it, or a mark that the next absolute
    /// line is that of the instruction. Only the lines of inner functions are wanted.
    void read_lines(std::set<int>& lines, int line, bool is_vararg, bool is_inner) {
        constexpr std::int8_t absolute = -0x80;
        const std::string_view steps = take(size());
        std::vector<int> absolute_lines;
        repeat([&] {
            number(); // the instruction
            absolute_lines.push_back(number());
        });
        std::size_t next = 0;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const auto step = static_cast<std::int8_t>(steps[i]);
            if (step != absolute)
                line += step;
            else if (next < absolute_lines.size())
                line = absolute_lines[next++];
            // The first instruction of a function with `...` and the last one of each are not written by
            // people.
            const bool is_written = (i > 0 || !is_vararg) && i + 1 < steps.size();
            if (is_written && is_inner) lines.insert(line);
        }
    }

    std::string_view rest_;
    bool is_whole_ = true;
};

int add_part(lua_State* /*lua*/, const void* bytes, std::size_t size, void* to) noexcept {
    try {
        static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), size);
        return 0;
    } catch (...) {
        return 1;
    }
}

} // namespace

Result<std::vector<int>> find_code_lines(const SourceFile& file) {
    const auto state = LuaState::create({.instructions = 1'000'000, .memory = std::size_t{64} << 20u});
    if (!state) return Error{ErrorCode::limit_exceeded, "no memory for a Lua state"};
    std::string chunk;
    const auto done = dump_chunk(*state, file.text, file.name, &add_part, &chunk);
    if (!done) return done.error();
    std::set<int> lines;
    if (!ChunkReader(chunk).read(lines))
        return Error{ErrorCode::unsupported,
                     text::format("{}: the lines of code are not known with this release of Lua", file.name)};
    return std::vector<int>(lines.begin(), lines.end());
}

} // namespace qg::policy
