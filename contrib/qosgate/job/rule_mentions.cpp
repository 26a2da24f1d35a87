// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/rule_mentions.hpp"

#include "policy/policy_directory.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/lua_tokens.hpp"
#include "qosgate/policy/source_files.hpp"

#include <algorithm>

#include <unistd.h>

namespace qg::cli {
namespace {

constexpr std::size_t max_places = 20;

/// "10-route.lua:12", in the order of the files.
std::vector<std::string> find_places(const policy::SourceDirectory& rules, const std::string& qos) {
    std::vector<std::string> places;
    for (const policy::SourceFile& file : rules.files) {
        if (policy::kind_of(file.name) == policy::SourceKind::data) continue;
        for (const policy::Token& token : policy::read_tokens(file.text)) {
            if (token.kind != policy::TokenKind::text || !text::iequals(token.text, qos)) continue;
            std::string place = text::format("{}:{}", text::printable(file.name), token.line);
            if (places.empty() || places.back() != place) places.push_back(std::move(place));
        }
    }
    return places;
}

Result<policy::SourceDirectory> read_rules(const PolicyDirectory& directory) {
    const ReaderRights rights(directory);
    if (rights.are_missing())
        return Error{ErrorCode::unavailable,
                     text::format("the rights of user {} cannot be had", directory.reader_name)};
    return policy::read_source_directory(directory.path, directory.reader.value_or(geteuid()));
}

} // namespace

void warn_of_rules(std::span<const model::QosRecord> deleted, Output& output) {
    if (deleted.empty()) return;
    const auto directory = find_policy_directory("");
    const auto rules = directory ? read_rules(*directory) : directory.error();
    if (!rules)
        return output.warn("whether rules name what is deleted is not known: " + rules.error().message);
    for (const model::QosRecord& record : deleted) {
        auto places = find_places(*rules, record.name);
        if (places.empty()) continue;
        const std::size_t all = places.size();
        places.resize(std::min(all, max_places));
        output.warn(text::format("rules in {} name '{}': {}{}; if they mean the QOS, jobs that they give it "
                                 "are refused once it is deleted",
                                 directory->path.string(), text::printable(record.name),
                                 text::join(places, ", "),
                                 all > max_places ? text::format(" and {} more", all - max_places) : ""));
    }
}

} // namespace qg::cli
