// SPDX-License-Identifier: GPL-2.0-or-later
//
// Specs in a test's text, and what the loader makes of them.
#pragma once

#include "qosgate/base/text.hpp"
#include "qosgate/spec/load_files.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace qg::test {

using spec::DesiredAccess;
using spec::DesiredCount;
using spec::DesiredField;
using spec::DesiredQos;
using spec::DesiredTres;
using spec::DesiredUser;
using spec::Loaded;

inline const model::TresCatalogue& test_catalogue() {
    static const model::TresCatalogue catalogue({"cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem",
                                                 "pages", "gres/gpu", "gres/gpu:a100", "license/matlab"});
    return catalogue;
}

inline Loaded load_files(std::initializer_list<std::pair<std::string, std::string>> files,
                         const model::TresCatalogue* catalogue = &test_catalogue()) {
    std::vector<spec::SourceText> sources;
    for (const auto& [file, text] : files)
        sources.push_back({file, text});
    return spec::load(sources, catalogue);
}

inline Loaded load_text(const std::string& text, const model::TresCatalogue* catalogue = &test_catalogue()) {
    return load_files({{"a.yaml", text}}, catalogue);
}

inline bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

/// The problems as people see them, one per line, without the line that counts them.
inline std::string problems_of(const Loaded& loaded) {
    const std::string text = spec::to_text(loaded.problems);
    return text.substr(0, text.rfind('\n') + 1);
}
inline std::string problems_in(const std::string& text) {
    return problems_of(load_text(text));
}

/// The spec's QOSs; there must be no problem.
inline std::vector<DesiredQos> qos_in(const std::string& text) {
    const Loaded loaded = load_text(text);
    BOOST_TEST_REQUIRE(problems_of(loaded) == "");
    return loaded.desired.qos;
}

/// The spec's only QOS.
inline DesiredQos only_qos(const std::string& text) {
    auto all = qos_in(text);
    BOOST_TEST_REQUIRE(all.size() == 1u);
    return all.front();
}

/// A spec with one QOS "q", whose body is one line.
inline std::string with_line(std::string_view line) {
    return text::format("owner: base\nqos:\n  q:\n    {}\n", line);
}

inline std::string show(const spec::Position& position) {
    return text::format("{}:{}:{}", position.file, position.line, position.column);
}

inline std::string show_count(std::string_view tres, const DesiredCount& count) {
    if (const auto* number = std::get_if<std::uint64_t>(&count))
        return model::format_tres_count(tres, *number);
    const auto* share = std::get_if<spec::Share>(&count);
    if (share == nullptr) return "unset";
    return text::format("{}%{}", share->percent, share->partition.empty() ? "" : " of " + share->partition);
}

/// A field's value as sacctmgr writes it; "unset"; "+" in front: the TRES that are not named stay as they
/// are.
inline std::string show(const model::QosField& field, const DesiredField& desired) {
    if (const auto* value = std::get_if<model::FieldValue>(&desired.value)) {
        const std::string text = model::format_value(field, *value);
        return text.empty() ? "unset" : text;
    }
    const auto& tres = std::get<DesiredTres>(desired.value);
    std::vector<std::string> parts;
    for (const auto& [name, count] : tres.counts)
        parts.push_back(name + "=" + show_count(name, count));
    return (tres.is_whole ? "" : "+") + text::join(parts, ",");
}

/// All fields of a QOS, by name: "MaxWall=08:00:00 Priority=5".
inline std::string show(const DesiredQos& qos) {
    std::vector<std::string> parts;
    for (const model::QosField& field : model::qos_fields())
        if (const auto found = qos.fields.find(&field); found != qos.fields.end())
            parts.push_back(text::format("{}={}", field.name, show(field, found->second)));
    return text::join(parts, " ");
}

inline std::string show(const DesiredUser& user) {
    return user.user + (user.account.empty() ? "" : "@" + user.account) +
           (user.partition.empty() ? "" : "/" + user.partition);
}

inline std::string show(const DesiredAccess& access) {
    std::vector<std::string> users;
    std::vector<std::string> default_users;
    for (const DesiredUser& user : access.users)
        users.push_back(show(user));
    for (const DesiredUser& user : access.default_for_users)
        default_users.push_back(show(user));
    return text::format("accounts={} users={} default_for={} default_users={}{}",
                        text::join(access.accounts, ","), text::join(users, ","),
                        text::join(access.default_for_accounts, ","), text::join(default_users, ","),
                        access.is_complete ? " complete" : "");
}

} // namespace qg::test
