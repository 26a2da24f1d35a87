// SPDX-License-Identifier: GPL-2.0-or-later
//
// The rules that are installed for sites to copy, their data, and the pages about rules.
#pragma once

#include "qosgate/policy/check/lua_tokens.hpp"
#include "support/policy_setup.hpp"

#include <algorithm>
#include <iterator>

namespace qg::test {

inline std::string text_of_file(const fs::path& path) {
    std::ifstream file(path);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (text.empty()) throw std::runtime_error(path.string() + " is empty or missing");
    return text;
}

/// The pages about rules of contrib/doc, one behind the other.
inline std::string rules_manual() {
    const fs::path pages = fs::path(QG_RULES_DIRECTORY).parent_path().parent_path() / "contrib/doc";
    std::string text;
    for (const char* page :
         {"rules.md", "rules-reference.md", "rules-view.md", "rules-tests.md", "job-submit-lua.md"})
        text += text_of_file(pages / page);
    return text;
}

/// The files of a directory below lua/rules, sorted by name: `prefix` and the name, and the text.
inline Texts shipped_files(const std::string& directory, const std::string& prefix = {}) {
    Texts files;
    for (const auto& file : fs::directory_iterator(fs::path(QG_RULES_DIRECTORY) / directory))
        if (file.is_regular_file())
            files.emplace_back(prefix + file.path().filename().string(), text_of_file(file.path()));
    std::ranges::sort(files);
    return files;
}

inline Texts all_shipped_rules() {
    return shipped_files(".");
}

/// One rule as a policy, with the data of the shipped rules if it reads some.
inline Texts with_shipped_data(const std::string& name, const std::string& text) {
    Texts files{{name, text}};
    const auto tokens = policy::read_tokens(text);
    if (std::ranges::none_of(tokens, [](const policy::Token& token) { return token.is_name("data"); }))
        return files;
    for (auto& file : shipped_files("data", "data/"))
        files.push_back(std::move(file));
    return files;
}

} // namespace qg::test
