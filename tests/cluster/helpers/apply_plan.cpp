// SPDX-License-Identifier: GPL-2.0-or-later
//
// Makes a plan from what exists now and the changes that its arguments name, and carries it out.
//
//   apply_plan [wait] CHANGE...
//
//   create NAME [FIELD=VALUE...]
//   update NAME FIELD=VALUE...
//   remove NAME
//   grant|revoke ACCOUNT[:USER[:PARTITION]] QOS...
//   default ACCOUNT[:USER[:PARTITION]] [QOS]
//   own ACCOUNT[:USER[:PARTITION]] [QOS... | [+QOS] [-QOS]...]
//
// Prints "planned"; with "wait" it goes on when standard input has a line. Prints each step, "step 0/3 adds 2
// QOSs and changes 1", then "applied" or the error's code and message. `apply_plan show` prints the live
// state as JSON instead; "preempt" and "slurmctld", the users' associations, are as slurmctld has them.
#include "qosgate/admin/apply.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/slurm/assoc_messages.hpp"
#include "qosgate/slurmdb/qos_store.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>

namespace {

using namespace qg;
using Words = std::vector<std::string>;
using nlohmann::ordered_json;

[[noreturn]] void fail(const Error& error) {
    std::cout << to_string(error.code) << ": " << error.message << std::endl;
    std::exit(EXIT_FAILURE);
}

template <typename T>
T expect(Result<T> result) {
    if (!result) fail(result.error());
    return std::move(*result);
}

Words words_of(std::string_view change) {
    Words words;
    for (const std::string_view word : text::split(change, ' '))
        words.emplace_back(word);
    return words;
}

class Planner {
  public:
    Planner(spec::LiveState live, const model::TresCatalogue& catalogue)
        : live_(std::move(live)), catalogue_(catalogue) {
        plan_.cluster = live_.cluster;
    }

    void read(const Words& words) {
        const std::string& verb = words.at(0);
        const std::string& name = words.at(1);
        const Words rest(words.begin() + 2, words.end());
        if (verb == "create") {
            model::QosRecord fresh;
            fresh.name = name;
            plan_.created.push_back(changed(fresh, rest));
        } else if (verb == "update")
            plan_.updated.push_back({qos(name), changed(qos(name), rest)});
        else if (verb == "remove")
            plan_.removed.push_back(qos(name));
        else
            read_access(verb, name, rest);
    }

    [[nodiscard]] const spec::Plan& plan() const { return plan_; }

  private:
    [[nodiscard]] model::QosRecord changed(const model::QosRecord& record, const Words& assignments) const {
        return expect(model::QosChange::parse(assignments, catalogue_)).apply_to(record);
    }

    [[nodiscard]] const model::QosRecord& qos(const std::string& name) const {
        for (const model::QosRecord& record : live_.qos)
            if (record.name == name) return record;
        fail({ErrorCode::not_found, "no QOS " + name});
    }

    void read_access(const std::string& verb, const std::string& place, const Words& names) {
        const auto parts = text::split(place, ':', /*keep_empty=*/true);
        model::AccessChange change;
        change.name = {.cluster = live_.cluster,
                       .account = std::string(parts.at(0)),
                       .user = std::string(parts.size() > 1 ? parts[1] : ""),
                       .partition = std::string(parts.size() > 2 ? parts[2] : "")};
        const auto known = std::find_if(plan_.access.begin(), plan_.access.end(),
                                        [&](const auto& other) { return other.name == change.name; });
        const bool is_new = known == plan_.access.end();
        model::AccessChange& target = is_new ? change : *known;
        if (verb == "grant") target.granted.insert(names.begin(), names.end());
        if (verb == "revoke") target.revoked.insert(names.begin(), names.end());
        if (verb == "default") target.default_qos = names.empty() ? "" : names.front();
        if (verb == "own") {
            target.own.emplace();
            for (const std::string& name : names) {
                if (name.front() == '+')
                    target.own->added.insert(name.substr(1));
                else if (name.front() == '-')
                    target.own->removed.insert(name.substr(1));
                else
                    target.own->whole.insert(name);
            }
        }
        if (!is_new) return;
        const auto base = std::find_if(live_.associations.begin(), live_.associations.end(),
                                       [&](const auto& one) { return one.name == change.name; });
        if (base != live_.associations.end()) plan_.access_base.push_back(*base);
        plan_.access.push_back(std::move(change));
    }

    spec::LiveState live_;
    const model::TresCatalogue& catalogue_;
    spec::Plan plan_;
};

std::string key_of(const model::AssociationName& name) {
    std::string key = name.account;
    if (!name.user.empty()) key += ":" + name.user;
    if (!name.partition.empty()) key += ":" + name.partition;
    return key;
}

slurmdb::QosNames names_of(const slurm::OwnedAssocInfo& records) {
    slurmdb::QosNames names;
    slurm::for_each<slurmdb_qos_rec_t>(records->qos_list,
                                       [&](const auto& one) { names.emplace(one.id, one.name); });
    return names;
}

/// Preempt as slurmctld has it.
model::NameSet slurmctlds_preempt(const std::string& qos) {
    const auto loaded = slurm::load_assoc_info({.flags = ASSOC_MGR_INFO_FLAG_QOS});
    if (!loaded) return {};
    const slurm::OwnedAssocInfo& owned = *loaded;
    model::NameSet found;
    slurm::for_each<slurmdb_qos_rec_t>(owned->qos_list, [&](const auto& one) {
        if (qos == one.name)
            found = slurmdb::from_slurm(one, slurmdb::TresTable({{1, "cpu"}}), names_of(owned)).preempt;
    });
    return found;
}

/// Which QOSs users may use, and their defaults, as slurmctld has them.
ordered_json slurmctlds_access() {
    ordered_json access = ordered_json::object();
    const auto loaded =
        slurm::load_assoc_info({.flags = ASSOC_MGR_INFO_FLAG_QOS | ASSOC_MGR_INFO_FLAG_ASSOC});
    if (!loaded) return access;
    const slurm::OwnedAssocInfo& owned = *loaded;
    const auto names = names_of(owned);
    slurm::for_each<slurmdb_assoc_rec_t>(owned->assoc_list, [&](const slurmdb_assoc_rec_t& one) {
        if (one.user == nullptr) return;
        model::NameSet qos;
        slurm::for_each<const char>(one.qos_list, [&](const char& digits) {
            const auto known = names.find(static_cast<std::uint32_t>(std::stoul(&digits)));
            if (known != names.end()) qos.insert(known->second);
        });
        const auto partition = one.partition == nullptr ? "" : one.partition;
        ordered_json& entry = access[key_of(
            {.cluster = one.cluster, .account = one.acct, .user = one.user, .partition = partition})];
        entry["qos"] = qos;
        const auto known = names.find(one.def_qos_id);
        entry["default"] = known == names.end() ? ordered_json() : ordered_json(known->second);
    });
    return access;
}

ordered_json to_json(const spec::LiveState& live) {
    ordered_json associations = ordered_json::object();
    for (const model::AssociationRecord& one : live.associations) {
        ordered_json& entry = associations[key_of(one.name)];
        entry["parent"] = one.parent_account;
        entry["qos"] = one.qos;
        entry["own"] = one.own_qos ? ordered_json(*one.own_qos) : ordered_json();
        entry["added"] = one.added_qos;
        entry["removed"] = one.removed_qos;
        entry["default"] = one.default_qos ? ordered_json(*one.default_qos) : ordered_json();
        entry["own_default"] = one.own_default_qos ? ordered_json(*one.own_default_qos) : ordered_json();
    }
    ordered_json qos = ordered_json::object();
    for (const model::QosRecord& record : live.qos) {
        std::ostringstream words;
        words << record;
        qos[record.name] = words.str();
    }
    ordered_json preempt = ordered_json::object();
    for (const model::QosRecord& record : live.qos)
        if (const auto names = slurmctlds_preempt(record.name); !names.empty()) preempt[record.name] = names;
    ordered_json capacity = ordered_json::object();
    for (const auto& [partition, counts] : live.capacity)
        for (const auto& [tres, count] : counts)
            capacity[partition][tres] = count;
    return {{"cluster", live.cluster}, {"qos", qos},         {"associations", associations},
            {"capacity", capacity},    {"preempt", preempt}, {"slurmctld", slurmctlds_access()}};
}

} // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    const auto session = expect(slurmdb::Session::open(std::chrono::seconds(60)));
    const auto connection = expect(slurmdb::Connection::open(*session));
    const auto store = expect(slurmdb::QosStore::open(*connection));
    auto live = expect(admin::read_live(*connection));
    if (mode == "show") {
        std::cout << to_json(live) << '\n';
        return EXIT_SUCCESS;
    }
    Planner planner(std::move(live), store.catalogue());
    for (int i = mode == "wait" ? 2 : 1; i < argc; ++i)
        planner.read(words_of(argv[i]));
    std::cout << "planned" << std::endl;
    if (std::string line; mode == "wait") std::getline(std::cin, line);
    const auto done = admin::apply(
        *connection, planner.plan(), [](slurmdb::CommitStep) {},
        [](std::string_view what, std::size_t number, std::size_t all) {
            std::cout << "step " << number << '/' << all << ' ' << what << '\n';
        });
    if (!done) fail(done.error());
    std::cout << "applied" << std::endl;
}
