// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/test/code_lines.hpp"

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
