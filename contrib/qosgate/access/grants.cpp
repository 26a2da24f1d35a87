// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/grants.hpp"

#include "qos/qos_json.hpp"

#include "qosgate/base/read_file.hpp"
#include "qosgate/base/replace_file.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/model/own_access.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

namespace qg::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* file_name = "grants.jsonl";
constexpr const char* lock_name = "grants.lock";
constexpr mode_t file_mode = 0600;
constexpr std::size_t max_grant_file = std::size_t{64} << 20u;

struct BeforeWord {
    StoredBefore before;
    std::string_view word;
};

/// The member "before" of a line; without it: unknown.
constexpr std::array before_words{
    BeforeWord{StoredBefore::nothing, "nothing"},
    BeforeWord{StoredBefore::removed, "removed"},
    BeforeWord{StoredBefore::own_list, "own list"},
};

/// Empty: it is no such word.
std::optional<StoredBefore> parse_before(const Json& line) {
    const auto found = line.find("before");
    if (found == line.end()) return StoredBefore::unknown;
    if (!found->is_string()) return std::nullopt;
    const auto row = std::ranges::find(before_words, found->get_ref<const std::string&>(), &BeforeWord::word);
    return row == before_words.end() ? std::nullopt : std::optional(row->before);
}

/// Whether the plan's files name this access.
bool is_named(const TemporaryGrant& grant, const spec::Plan& plan) {
    const auto found = std::ranges::find(plan.named, grant.name, &model::AccessChange::name);
    return found != plan.named.end() && found->granted.contains(grant.qos);
}

/// Whether the plan takes this access away.
bool is_taken_away(const TemporaryGrant& grant, const spec::Plan& plan) {
    if (std::ranges::find(plan.removed, grant.qos, &model::QosRecord::name) != plan.removed.end())
        return true;
    const auto change = std::ranges::find(plan.access, grant.name, &model::AccessChange::name);
    return change != plan.access.end() && takes_away(*change, grant.qos);
}

/// Changes the list of the default directory. Errors: those of the list.
Result<void> change_list(const std::function<void(std::vector<TemporaryGrant>&)>& change) {
    const auto file = GrantFile::open({});
    if (!file) return file.error();
    auto grants = file->lock();
    if (!grants) return grants.error();
    change(grants->all);
    return grants->write();
}

} // namespace

bool is_same_access(const TemporaryGrant& one, const TemporaryGrant& other) {
    return one.qos == other.qos && one.name == other.name;
}

bool has_access(const std::vector<TemporaryGrant>& all, const TemporaryGrant& grant) {
    return std::ranges::any_of(all, [&](const TemporaryGrant& each) { return is_same_access(each, grant); });
}

std::optional<TemporaryGrant> grant_of_line(std::string_view line) {
    const Json root = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!root.is_object()) return std::nullopt;
    TemporaryGrant grant;
    const auto is_text = [&](const char* key, std::string& member) {
        const auto found = root.find(key);
        if (found == root.end() || !found->is_string()) return false;
        member = found->get<std::string>();
        return true;
    };
    const auto is_time = [&](const char* key, std::time_t& member) {
        const auto found = root.find(key);
        if (found == root.end() || !found->is_number_integer()) return false;
        member = found->get<std::time_t>();
        return true;
    };
    const bool is_whole = is_text("qos", grant.qos) && is_text("cluster", grant.name.cluster) &&
                          is_text("account", grant.name.account) && is_text("user", grant.name.user) &&
                          is_text("partition", grant.name.partition) && is_time("until", grant.until) &&
                          is_text("reason", grant.reason) && is_text("by", grant.by) &&
                          is_time("at", grant.at);
    const auto open = root.find("open");
    grant.is_open = open != root.end();
    const auto before = parse_before(root);
    if (!is_whole || !before || (grant.is_open && *open != true)) return std::nullopt;
    grant.before = *before;
    return grant;
}

std::string to_line(const TemporaryGrant& grant) {
    Json root{{"qos", grant.qos},
              {"cluster", grant.name.cluster},
              {"account", grant.name.account},
              {"user", grant.name.user},
              {"partition", grant.name.partition},
              {"until", grant.until},
              {"reason", grant.reason},
              {"by", grant.by},
              {"at", grant.at}};
    const auto row = std::ranges::find(before_words, grant.before, &BeforeWord::before);
    if (row != before_words.end()) root["before"] = row->word;
    if (grant.is_open) root["open"] = true;
    return root.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

Result<GrantFile> GrantFile::open(const std::string& directory) {
    fs::path path = directory;
    if (directory.empty()) {
        const auto state = default_state_directory();
        if (!state) return state.error();
        path = *state;
    }
    if (const auto made = make_state_directory(path); !made) return made.error();
    return GrantFile(std::move(path));
}

Result<std::vector<TemporaryGrant>> GrantFile::read() const {
    const fs::path file = directory_ / file_name;
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return std::vector<TemporaryGrant>();
    const auto content = read_file(file.string(), max_grant_file);
    if (!content) return content.error();
    std::vector<TemporaryGrant> grants;
    std::size_t number = 0;
    for (const std::string_view line : text::split(*content, '\n', /*keep_empty=*/true)) {
        ++number;
        if (line.empty()) continue;
        auto grant = grant_of_line(line);
        if (!grant)
            return Error{ErrorCode::invalid_input,
                         text::format("{}:{}: it is damaged: correct or remove this line",
                                      text::printable(file.string(), 1000), number)};
        grants.push_back(*std::move(grant));
    }
    return grants;
}

fs::path GrantFile::path() const {
    return directory_ / file_name;
}

bool GrantFile::is_of_timer() const {
    return is_state_directory_of_root(directory_);
}

Result<LockedGrants> GrantFile::lock() const {
    auto lock = StateLock::take(directory_, lock_name);
    if (!lock) return lock.error();
    auto grants = read();
    if (!grants) return grants.error();
    return LockedGrants(*std::move(grants), directory_ / file_name, *std::move(lock));
}

Result<void> LockedGrants::write() const {
    std::string content;
    for (const TemporaryGrant& grant : all)
        content += to_line(grant);
    return replace_file(file_, content, file_mode, Durability::on_disk);
}

std::vector<TemporaryGrant> settle(std::vector<TemporaryGrant>& all, const spec::LiveState& live) {
    std::vector<TemporaryGrant> taken;
    const bool is_decided =
        !live.hides_associations &&
        std::ranges::any_of(all, [](const TemporaryGrant& grant) { return grant.is_open; });
    if (!is_decided) return taken;
    std::set<std::pair<model::AssociationName, std::string>> stored;
    for (const model::AssociationRecord& record : live.associations)
        for (const std::string& qos : record.own_qos ? *record.own_qos : record.added_qos)
            stored.emplace(record.name, qos);
    std::vector<TemporaryGrant> kept;
    for (TemporaryGrant& grant : all) {
        const bool is_to_decide = grant.is_open && text::iequals(grant.name.cluster, live.cluster);
        const bool was_granted = is_to_decide && stored.contains({grant.name, grant.qos});
        if (was_granted) grant.is_open = false;
        (is_to_decide && !was_granted ? taken : kept).push_back(std::move(grant));
    }
    all = std::move(kept);
    return taken;
}

std::string describe(const model::AssociationName& name) {
    std::string words;
    if (!name.user.empty()) words = text::format("user {} in ", text::printable(name.user));
    words += "account " + text::printable(name.account);
    if (!name.partition.empty()) words += ", partition " + text::printable(name.partition);
    return words;
}

std::string describe(const TemporaryGrant& grant) {
    return text::format("QOS {} for {}", text::printable(grant.qos), describe(grant.name));
}

Json to_json(const model::AssociationName& name) {
    const auto part = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
    return {{"account", name.account}, {"user", part(name.user)}, {"partition", part(name.partition)}};
}

Json to_json(const TemporaryGrant& grant) {
    Json json{{"qos", grant.qos}};
    json.update(to_json(grant.name));
    json.update(Json{{"cluster", grant.name.cluster},
                     {"until", grant.until},
                     {"reason", grant.reason},
                     {"by", grant.by},
                     {"at", grant.at}});
    return json;
}

std::vector<TemporaryGrant> known_grants(Output& output) {
    const auto directory = default_state_directory();
    std::error_code ignored;
    if (!directory || !fs::exists(*directory / file_name, ignored)) return {};
    const auto read = [] {
        const auto file = GrantFile::open({});
        return file ? file->read() : file.error();
    };
    auto known = read();
    if (known) return *std::move(known);
    output.warn("which access is temporary is not known: " + known.error().message);
    return {};
}

std::vector<TemporaryGrant> find_named(const spec::Plan& plan, Output& output) {
    if (plan.named.empty()) return {};
    std::vector<TemporaryGrant> known = known_grants(output);
    std::erase_if(known, [&](const TemporaryGrant& grant) { return !is_named(grant, plan); });
    return known;
}

TouchedGrants find_touched(const spec::Plan& plan, Output& output) {
    TouchedGrants touched;
    if (!plan.changes_anything() && plan.named.empty()) return touched;
    for (TemporaryGrant& grant : known_grants(output)) {
        if (is_named(grant, plan))
            touched.made_permanent.push_back(std::move(grant));
        else if (is_taken_away(grant, plan))
            touched.ended.push_back(std::move(grant));
    }
    return touched;
}

Result<void> make_temporary(const std::vector<TemporaryGrant>& grants) {
    if (grants.empty()) return {};
    return change_list([&](std::vector<TemporaryGrant>& all) {
        for (TemporaryGrant grant : grants) {
            if (has_access(all, grant)) continue;
            grant.is_open = true; // it may not come back
            all.push_back(std::move(grant));
        }
    });
}

void leave_permanent(const std::vector<TemporaryGrant>& grants, Output& output) {
    if (grants.empty()) return;
    const auto done = change_list([&](std::vector<TemporaryGrant>& all) {
        std::erase_if(all,
                      [&](const TemporaryGrant& each) { return each.is_open && has_access(grants, each); });
    });
    if (!done) output.warn("access that is permanent is in the list of what ends: " + done.error().message);
}

void forget_touched(const spec::Plan& plan, Output& output) {
    const TouchedGrants touched = find_touched(plan, output);
    if (touched.made_permanent.empty() && touched.ended.empty()) return;
    std::vector<TemporaryGrant> permanent;
    const auto done = change_list([&](std::vector<TemporaryGrant>& all) {
        std::ranges::copy_if(all, std::back_inserter(permanent),
                             [&](const TemporaryGrant& each) { return is_named(each, plan); });
        std::erase_if(all, [&](const TemporaryGrant& each) {
            return is_named(each, plan) || is_taken_away(each, plan);
        });
    });
    if (!done)
        return output.warn(
            "temporary access that the spec makes permanent, or takes away, is still in the list of what "
            "ends: " +
            done.error().message);
    for (const TemporaryGrant& grant : permanent)
        output.note(text::format("{}: granted until {}, it has no end any more", describe(grant),
                                 text::local_time(grant.until)));
}

} // namespace qg::cli
