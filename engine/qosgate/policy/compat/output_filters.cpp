// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/output_filters.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace qg::policy::compat {
namespace {

/// Calls `use` with each line, without its end.
template <typename Use>
void for_each_line(std::string_view text, Use use) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        use(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

struct CutOptions {
    char separator = '\t';
    std::size_t field = 0; ///< from 1 on
    bool and_the_rest = false;
};

/// The value of an option "-f1" or "-f 1"; empty: it is another option.
std::optional<std::string> take_option(std::span<const std::string> words, std::size_t& at,
                                       std::string_view option) {
    if (!words[at].starts_with(option)) return std::nullopt;
    if (words[at].size() > option.size()) return words[at].substr(option.size());
    if (at + 1 >= words.size()) return std::nullopt;
    return words[++at];
}

std::optional<CutOptions> read_cut_options(std::span<const std::string> words) {
    CutOptions options;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (const auto separator = take_option(words, i, "-d")) {
            if (separator->size() != 1) return std::nullopt;
            options.separator = separator->front();
        } else if (auto field = take_option(words, i, "-f")) {
            if (field->ends_with('-')) {
                options.and_the_rest = true;
                field->pop_back();
            }
            options.field = text::parse_unsigned(*field).value_or(0);
        } else {
            return std::nullopt;
        }
    }
    if (options.field == 0) return std::nullopt;
    return options;
}

void cut(const CutOptions& options, std::string_view input, std::string& output) {
    for_each_line(input, [&](std::string_view line) {
        if (line.find(options.separator) == line.npos) {
            output.append(line).append("\n");
            return;
        }
        std::size_t field = 1;
        while (field < options.field && !line.empty()) {
            const std::size_t end = std::min(line.find(options.separator), line.size());
            line.remove_prefix(std::min(end + 1, line.size()));
            ++field;
        }
        output.append(options.and_the_rest ? line : line.substr(0, line.find(options.separator)))
            .append("\n");
    });
}

/// One character as tr writes it: "\n", ":" or "[:space:]".
std::optional<std::string> read_set(std::string_view text) {
    if (text == "\\n") return "\n";
    if (text == "\\t") return "\t";
    if (text == "[:space:]") return " \t\n\r\f\v";
    if (text.size() == 1 && text != "\\") return std::string(text);
    return std::nullopt;
}

struct TrOptions {
    std::string from;
    std::optional<char> to; ///< empty: they are deleted
};

std::optional<TrOptions> read_tr_options(std::span<const std::string> words) {
    if (words.size() != 2) return std::nullopt;
    const bool deletes = words[0] == "-d";
    const auto from = read_set(words[deletes ? 1 : 0]);
    if (!from) return std::nullopt;
    if (deletes) return TrOptions{*from, std::nullopt};
    const auto to = read_set(words[1]);
    if (!to || to->size() != 1) return std::nullopt;
    return TrOptions{*from, to->front()};
}

void translate(const TrOptions& options, std::string_view input, std::string& output) {
    for (const char c : input)
        if (options.from.find(c) == options.from.npos)
            output += c;
        else if (options.to)
            output += *options.to;
}

/// awk -F: '{print $N}'
std::optional<CutOptions> read_awk_options(std::span<const std::string> words) {
    CutOptions options;
    options.separator = ' ';
    std::size_t at = 0;
    if (const auto separator = words.empty() ? std::nullopt : take_option(words, at, "-F")) {
        if (separator->size() != 1) return std::nullopt;
        options.separator = separator->front();
        ++at;
    }
    if (at + 1 != words.size()) return std::nullopt;
    std::string program = words[at];
    std::erase(program, ' ');
    constexpr std::string_view before = "{print$";
    if (!program.starts_with(before) || !program.ends_with('}')) return std::nullopt;
    options.field = text::parse_unsigned(
                        std::string_view(program).substr(before.size(), program.size() - before.size() - 1))
                        .value_or(0);
    if (options.field == 0) return std::nullopt;
    return options;
}

/// Unlike cut, it joins blanks, and has nothing for a field that is missing.
void print_field(const CutOptions& options, std::string_view input, std::string& output) {
    for_each_line(input, [&](std::string_view line) {
        std::size_t field = 0;
        text::for_each_part(line, options.separator, [&](std::string_view part) {
            if (options.separator == ' ' && part.empty()) return;
            if (++field == options.field) output.append(part);
        });
        output += '\n';
    });
}

/// How many lines head leaves.
std::optional<std::size_t> read_head_options(std::span<const std::string> words) {
    if (words.empty()) return 10;
    std::string_view count = words[0];
    if (words.size() == 2 && count == "-n")
        count = words[1];
    else if (words.size() == 1 && count.starts_with('-'))
        count.remove_prefix(count.starts_with("-n") ? 2 : 1);
    else
        return std::nullopt;
    const auto lines = text::parse_unsigned(count);
    return lines ? std::optional<std::size_t>(*lines) : std::nullopt;
}

} // namespace

std::string_view program_name(std::string_view path) noexcept {
    for (const std::string_view directory : {"/usr/bin/", "/bin/"})
        if (path.starts_with(directory)) return path.substr(directory.size());
    return path;
}

bool filter_output(std::span<const std::string> words, std::string_view input, std::string* output) {
    const std::string_view program = program_name(words.front());
    const auto arguments = words.subspan(1);
    const auto run = [&](const auto& options, auto work) {
        if (options && output != nullptr) work(*options, input, *output);
        return options.has_value();
    };
    if (program == "cut") return run(read_cut_options(arguments), &cut);
    if (program == "tr") return run(read_tr_options(arguments), &translate);
    if (program == "awk") return run(read_awk_options(arguments), &print_field);
    if (program != "head") return false;
    return run(read_head_options(arguments), [](std::size_t lines, std::string_view from, std::string& to) {
        std::size_t count = 0;
        for_each_line(from, [&](std::string_view line) {
            if (count++ < lines) to.append(line).append("\n");
        });
    });
}

} // namespace qg::policy::compat
