// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/client_changes.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/answer/request_options.hpp"
#include "qosgate/slurm/job_field_members.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace qg::plugin {
namespace {

using model::JobDetail;
using model::JobRequest;
using OptionChanges = std::vector<policy::OptionChange>;

/// Calls `visit` with each text of a request, or with each detail, that an option gives as it is, and with
/// the option.
template <typename Member, typename Visit>
void for_each_option_value(Visit visit) {
    for (const model::JobField& field : model::job_fields)
        if (const auto* member = std::get_if<Member>(&field.member); member && field.option.takes_value)
            visit(*member, std::string_view(field.option.text).substr(2));
}

/// No text: the default.
policy::OptionChange change_of(std::string_view option, std::optional<std::string> text) {
    const bool is_set = text.has_value();
    return {std::string(option), {is_set, std::move(text)}};
}

std::optional<std::string> text_of(const model::JobDetails::Written& value) {
    if (const auto* text = std::get_if<std::string>(&value))
        return text->empty() ? std::nullopt : std::optional(*text);
    if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
    return std::nullopt;
}

/// Adds what rules changed. False: options cannot say all of it.
bool add_changes(OptionChanges& changes, const JobRequest& before, const JobRequest& after) {
    JobRequest sizes = after;
    for_each_option_value<model::TextMember>([&](model::TextMember member, std::string_view option) {
        if (before.*member != after.*member) changes.push_back(change_of(option, after.*member));
        sizes.*member = before.*member;
    });
    for (const auto& [written, value] : after.details.written()) {
        const model::JobField* field = model::find_field_of(written);
        if (field == nullptr || !field->option.takes_value) return false;
        changes.push_back(change_of(std::string_view(field->option.text).substr(2), text_of(value)));
    }
    if (!after.details.written_variables().empty()) return false;
    if (gate::keeps_changes(before, before, sizes)) return true; // no size differs
    const auto options = gate::format_changed_options(before, sizes);
    if (!options) return false;
    for (std::string_view word : text::split(*options, ' ')) {
        word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
        const std::size_t equals = word.find('=');
        if (equals == std::string_view::npos) return false;
        changes.push_back(change_of(word.substr(0, equals), std::string(word.substr(equals + 1))));
    }
    return true;
}

/// Whether two requests ask for the same.
bool is_same(const JobRequest& one, const JobRequest& other) {
    const auto same = [&](const auto& field) { return one.*field.request == other.*field.request; };
    bool has_same_details = true;
    for_each_option_value<JobDetail>([&](JobDetail detail, std::string_view /*option*/) {
        has_same_details = has_same_details && one.details.get(detail) == other.details.get(detail);
    });
    return std::ranges::all_of(slurm::text_fields, same) &&
           std::ranges::all_of(slurm::wide_count_fields, same) &&
           std::ranges::all_of(slurm::narrow_count_fields, same) &&
           std::ranges::all_of(slurm::time_fields, same) && one.memory == other.memory &&
           one.overcommit == other.overcommit && one.exclusive == other.exclusive && has_same_details;
}

} // namespace

std::vector<policy::OptionChange> find_changes(ClientOptions& options, const ClientCommand& command,
                                               const JobRequest& before, const JobRequest& after) {
    // The clients keep their counts in `int`.
    const auto fits = [&](const auto& field) {
        return (after.*field.request).value_or(0) <=
               static_cast<std::uint32_t>(std::numeric_limits<int>::max());
    };
    if (!std::ranges::all_of(slurm::wide_count_fields, fits)) return {};
    OptionChanges changes;
    if (before.memory != after.memory) // each excludes the others
        for (const char* const option : {"mem", "mem-per-cpu", "mem-per-gpu"})
            if (options.is_set(option)) changes.push_back({option, {}});
    if (!add_changes(changes, before, after)) return {};
    for (const policy::OptionChange& change : changes)
        if (!options.set(change)) return {};
    if (options.is_set("cpus-per-gpu") && options.is_set("cpus-per-task")) return {};
    const auto made = make_request(options, command);
    if (!made || !is_same(*made, after)) return {};
    return changes;
}

} // namespace qg::plugin
