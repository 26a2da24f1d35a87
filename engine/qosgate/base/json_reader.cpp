// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/json_reader.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/base/utf8.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace qg {
namespace {

class JsonReader {
  public:
    JsonReader(std::string_view text, std::size_t max_values) : text_(text), max_values_(max_values) {}

    Result<DataTable> run() {
        DataValue root;
        skip_blank();
        if (at_end())
            fail("the file is empty");
        else if (peek() != '{' && peek() != '[')
            fail("a file holds an object { ... } or a list [ ... ]");
        const bool is_read = problem_.empty() && read_value(root, 0);
        skip_blank();
        if (is_read && !at_end()) fail("there is more behind the end");
        if (!problem_.empty()) return Error{ErrorCode::invalid_input, problem_};
        table_.set_root(root);
        return std::move(table_);
    }

  private:
    [[nodiscard]] bool at_end() const noexcept { return at_ == text_.size(); }
    /// The next byte; a zero byte, which is nowhere valid, at the end.
    [[nodiscard]] char peek() const noexcept { return at_end() ? '\0' : text_[at_]; }
    bool take(char sign) noexcept {
        if (at_end() || text_[at_] != sign) return false;
        ++at_;
        return true;
    }
    void skip_blank() noexcept {
        while (!at_end() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r'))
            ++at_;
    }

    /// Keeps the first problem, with its line. Returns false.
    bool fail(std::string_view what) {
        if (!problem_.empty()) return false;
        const auto line =
            1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
        problem_ = text::format("{}: {}", line, what);
        return false;
    }
    bool fail_expected(std::string_view what) {
        if (at_end()) return fail(text::format("{} is missing: the file ends", what));
        const std::string_view line = text_.substr(at_, text_.find_first_of("\r\n", at_) - at_);
        const std::string found = line.empty() ? "the end of the line" : text::quoted(line, 20);
        return fail(text::format("{} is expected before {}", what, found));
    }

    bool read_value(DataValue& value, std::size_t depth) {
        if (++values_ > max_values_)
            return fail(text::format("the files hold more than {} values", DataBounds::max_values));
        if (depth > DataBounds::max_depth)
            return fail(text::format("more than {} levels", DataBounds::max_depth));
        switch (peek()) {
        case '{': return read_object(value, depth);
        case '[': return read_list(value, depth);
        case '"': return read_text(value, DataBounds::max_text_bytes);
        case 't': return read_word("true", DataValue::Kind::flag, 1, value);
        case 'f': return read_word("false", DataValue::Kind::flag, 0, value);
        case 'n': return read_word("null", DataValue::Kind::nothing, 0, value);
        default:
            return text::is_digit(peek()) || peek() == '-' ? read_number(value) : fail_expected("a value");
        }
    }

    bool read_word(std::string_view word, DataValue::Kind kind, std::int64_t number, DataValue& value) {
        if (!text_.substr(at_).starts_with(word)) return fail_expected("a value");
        at_ += word.size();
        value.kind = kind;
        value.integer = number;
        return true;
    }

    /// -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
    bool read_number(DataValue& value) {
        const std::size_t begin = at_;
        take('-');
        if (!take('0') && !take_digits()) return fail_expected("a digit");
        if (text::is_digit(peek())) return fail("a number begins with no 0 before other digits");
        bool is_whole = true;
        if (take('.')) {
            is_whole = false;
            if (!take_digits()) return fail_expected("a digit");
        }
        if (take('e') || take('E')) {
            is_whole = false;
            if (!take('+')) take('-');
            if (!take_digits()) return fail_expected("a digit");
        }
        const char* first = text_.data() + begin;
        const char* last = text_.data() + at_;
        value.kind = is_whole ? DataValue::Kind::integer : DataValue::Kind::real;
        const auto done =
            is_whole ? std::from_chars(first, last, value.integer) : std::from_chars(first, last, value.real);
        return done.ec == std::errc() || fail("the number is out of range: 64 bits are read");
    }
    bool take_digits() noexcept {
        const std::size_t begin = at_;
        while (text::is_digit(peek()))
            ++at_;
        return at_ > begin;
    }

    bool read_list(DataValue& value, std::size_t depth) {
        std::vector<DataValue> elements;
        ++at_;
        skip_blank();
        if (!take(']')) {
            for (;;) {
                DataValue element;
                skip_blank();
                if (!read_value(element, depth + 1)) return false;
                if (element.kind == DataValue::Kind::nothing)
                    return fail("null in a list: lists of Lua have no holes");
                elements.push_back(element);
                skip_blank();
                if (take(']')) break;
                if (!take(',')) return fail_expected("',' or ']'");
            }
        }
        value = table_.add_list(elements);
        return true;
    }

    bool read_object(DataValue& value, std::size_t depth) {
        std::vector<DataEntry> entries;
        ++at_;
        skip_blank();
        if (!take('}')) {
            for (;;) {
                skip_blank();
                DataEntry entry;
                if (!read_key(entry.key) || !read_value(entry.value, depth + 1)) return false;
                entries.push_back(entry);
                skip_blank();
                if (take('}')) break;
                if (!take(',')) return fail_expected("',' or '}'");
            }
        }
        if (const auto twice = table_.add_map(entries, value))
            return fail(text::format("key \"{}\" is there twice in the object that ends here",
                                     text::printable(*twice, 60)));
        return true;
    }

    /// A key and the colon behind it.
    bool read_key(DataValue& key) {
        if (peek() != '"') return fail_expected("a key in quotes");
        if (!read_text(key, DataBounds::max_key_bytes)) return false;
        skip_blank();
        if (!take(':')) return fail_expected("':'");
        skip_blank();
        return true;
    }

    bool read_text(DataValue& value, std::size_t max_bytes) {
        scratch_.clear();
        ++at_;
        while (!take('"')) {
            if (at_end()) return fail("the text is not closed");
            if (scratch_.size() > max_bytes) break;
            if (take('\\')) {
                if (!read_escape()) return false;
                continue;
            }
            if (static_cast<unsigned char>(peek()) < 0x20)
                return fail("a control character in a text: write it as \\n or \\u0009");
            const std::size_t bytes = text::decode_utf8(text_.substr(at_)).bytes;
            if (bytes == 0) return fail("the text is not UTF-8");
            scratch_.append(text_, at_, bytes);
            at_ += bytes;
        }
        if (scratch_.size() > max_bytes) return fail(text::format("a text of more than {} bytes", max_bytes));
        value = table_.add_text(scratch_);
        return true;
    }

    /// What follows a backslash.
    bool read_escape() {
        constexpr std::string_view signs = "\"\\/bfnrt";
        constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
        if (take('u')) return read_code_point();
        const std::size_t which = at_end() ? std::string_view::npos : signs.find(peek());
        if (which == std::string_view::npos) return fail("a backslash before a character that needs none");
        scratch_ += meanings[which];
        ++at_;
        return true;
    }

    /// Four hexadecimal digits, or two times four with a surrogate pair.
    bool read_code_point() {
        std::uint32_t code = 0;
        if (!read_hex(code)) return false;
        if (code >= 0xdc00 && code <= 0xdfff) return fail("half of a surrogate pair");
        if (code >= 0xd800 && code <= 0xdbff) {
            std::uint32_t low = 0;
            if (!take('\\') || !take('u')) return fail("half of a surrogate pair");
            if (!read_hex(low)) return false;
            if (low < 0xdc00 || low > 0xdfff) return fail("half of a surrogate pair");
            code = 0x10000 + ((code - 0xd800) << 10u) + (low - 0xdc00);
        }
        text::append_utf8(scratch_, code);
        return true;
    }
    bool read_hex(std::uint32_t& code) {
        const std::string_view digits = text_.substr(at_, 4);
        const auto done = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
        if (digits.size() < 4 || done.ptr != digits.data() + 4)
            return fail("\\u needs four hexadecimal digits");
        at_ += 4;
        return true;
    }

    const std::string_view text_;
    const std::size_t max_values_;
    std::size_t at_ = 0;
    std::size_t values_ = 0;
    DataTable table_;
    std::string scratch_;
    std::string problem_; ///< the first one; empty: none
};

} // namespace

Result<DataTable> read_json(std::string_view text, std::size_t max_values) {
    return JsonReader(text::without_byte_order_mark(text), max_values).run();
}

} // namespace qg
