// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/scenario.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_flags.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace qg::quota {
namespace {

using nlohmann::json;

/// Stops the reading of a scenario; caught in parse_scenario.
struct BadScenario : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A JSON value and the path that leads to it.
struct Node {
    const json& value;
    std::string path;

    [[noreturn]] void fail(std::string_view why) const {
        throw BadScenario(text::format("{}: {}", path.empty() ? "scenario" : path, why));
    }
    [[nodiscard]] Node at(const std::string& key) const {
        return {value.at(key), path.empty() ? key : path + "." + key};
    }
    [[nodiscard]] std::string text() const {
        if (!value.is_string()) fail("must be a text");
        return value.get<std::string>();
    }
    [[nodiscard]] std::uint64_t number() const {
        if (!value.is_number_unsigned()) fail("must be a whole number from 0 on");
        return value.get<std::uint64_t>();
    }
    [[nodiscard]] std::uint32_t number32() const {
        const std::uint64_t wide = number();
        if (wide > 0xffffffffu) fail("is too large (at most 4294967295)");
        return static_cast<std::uint32_t>(wide);
    }
    [[nodiscard]] double real() const {
        if (!value.is_number()) fail("must be a number");
        return value.get<double>();
    }
    [[nodiscard]] bool boolean() const {
        if (!value.is_boolean()) fail("must be true or false");
        return value.get<bool>();
    }
    [[nodiscard]] TimeLimit minutes() const {
        if (value.is_string() && text::iequals(value.get<std::string>(), "UNLIMITED"))
            return TimeLimit::unlimited();
        if (!value.is_number_unsigned()) fail("must be whole minutes or \"UNLIMITED\"");
        return {number32()};
    }
    template <typename Each>
    void for_each_element(Each each) const {
        if (!value.is_array()) fail("must be a list");
        for (std::size_t i = 0; i < value.size(); ++i)
            each(Node{value[i], path + "[" + std::to_string(i) + "]"});
    }
    template <typename Each>
    void for_each_key(Each each) const {
        if (!value.is_object()) fail("must be an object");
        for (const auto& [key, unused] : value.items())
            each(key, at(key));
    }
};

/// What to do with the value of one key.
struct Key {
    std::string_view name;
    std::function<void(const Node&)> read;
};

/// Reads an object by its table of keys. Keys that are not in the table go to `other`, which returns whether
/// it knows them.
void read_object(const Node& node, const std::vector<Key>& keys,
                 const std::function<bool(const std::string&, const Node&)>& other = nullptr) {
    node.for_each_key([&](const std::string& name, const Node& value) {
        const auto known =
            std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; });
        if (known != keys.end()) return known->read(value);
        if (other && other(name, value)) return;
        std::vector<std::string> names;
        for (const Key& key : keys)
            names.emplace_back(key.name);
        value.fail("is not a key of a scenario here" + text::did_you_mean(name, names));
    });
}

model::TresCounts read_counts(const Node& node, const model::TresCatalogue& catalogue) {
    model::TresCounts counts(catalogue.size());
    node.for_each_key([&](const std::string& name, const Node& value) {
        const auto index = catalogue.find(name);
        if (!index) value.fail("is not a TRES of this scenario: " + text::join(catalogue.names(), ", "));
        counts[*index] = value.number();
    });
    return counts;
}

bool read_limit(const std::string& name, const Node& node, const model::TresCatalogue& catalogue,
                model::Limits& limits) {
    if (const auto count = model::find_count_limit(name)) {
        limits.set(*count, node.number());
        return true;
    }
    const auto tres_limit = model::find_tres_limit(name);
    if (!tres_limit) return false;
    node.for_each_key([&](const std::string& tres, const Node& value) {
        const auto index = catalogue.find(tres);
        if (!index) value.fail("is not a TRES of this scenario: " + text::join(catalogue.names(), ", "));
        limits.set(*tres_limit, *index, value.number());
    });
    return true;
}

std::vector<Key> usage_keys(model::Usage& usage, const model::TresCatalogue& catalogue) {
    return {
        {"jobs", [&](const Node& v) { usage.jobs = v.number(); }},
        {"submit_jobs", [&](const Node& v) { usage.submit_jobs = v.number(); }},
        {"wall_minutes", [&](const Node& v) { usage.wall_minutes = v.number(); }},
        {"tres", [&](const Node& v) { usage.tres = read_counts(v, catalogue); }},
        {"tres_run_minutes", [&](const Node& v) { usage.tres_run_minutes = read_counts(v, catalogue); }},
        {"tres_minutes", [&](const Node& v) { usage.tres_minutes = read_counts(v, catalogue); }},
    };
}

void read_qos_usage(const Node& node, const model::TresCatalogue& catalogue, LocalQos& qos) {
    std::vector<Key> keys = usage_keys(qos.qos.usage, catalogue);
    keys.push_back({"users", [&](const Node& users) {
                        users.for_each_key([&](const std::string& name, const Node& value) {
                            const auto uid = text::parse_unsigned(name);
                            if (!uid || *uid > 0xffffffffu) value.fail("must be named by a user id");
                            read_object(value,
                                        usage_keys(qos.users[static_cast<std::uint32_t>(*uid)], catalogue));
                        });
                    }});
    keys.push_back({"accounts", [&](const Node& accounts) {
                        accounts.for_each_key([&](const std::string& name, const Node& value) {
                            read_object(value, usage_keys(qos.accounts[name], catalogue));
                        });
                    }});
    read_object(node, keys);
}

void read_flag(const Node& node, model::QosFlags& flags) {
    const std::string name = node.text();
    for (const model::QosFlagFacts& flag : model::qos_flag_facts) {
        if (flag.member == nullptr || !text::iequals(flag.name, name)) continue;
        flags.*flag.member = true;
        return;
    }
    node.fail("'" + text::printable(name) + "' is not a flag that limits a job");
}

LocalQos read_qos(const Node& node, const model::TresCatalogue& catalogue) {
    LocalQos qos;
    qos.qos.limits = model::Limits(catalogue.size());
    read_object(node,
                {
                    {"name", [&](const Node& v) { qos.qos.name = v.text(); }},
                    {"flags",
                     [&](const Node& v) {
                         v.for_each_element([&](const Node& flag) { read_flag(flag, qos.qos.flags); });
                     }},
                    {"UsageFactor", [&](const Node& v) { qos.qos.usage_factor = v.real(); }},
                    {"LimitFactor", [&](const Node& v) { qos.qos.limit_factor = v.real(); }},
                    {"usage", [&](const Node& v) { read_qos_usage(v, catalogue, qos); }},
                },
                [&](const std::string& name, const Node& v) {
                    return read_limit(name, v, catalogue, qos.qos.limits);
                });
    return qos;
}

model::AssociationLevel read_level(const Node& node) {
    const std::string name = node.text();
    if (name == "user") return model::AssociationLevel::user;
    if (name == "account") return model::AssociationLevel::account;
    if (name == "root") return model::AssociationLevel::root;
    node.fail("must be user, account or root");
}

LocalAssociation read_association(const Node& node, const model::TresCatalogue& catalogue) {
    LocalAssociation association;
    association.link.limits = model::Limits(catalogue.size());
    read_object(
        node,
        {
            {"level", [&](const Node& v) { association.link.level = read_level(v); }},
            {"user", [&](const Node& v) { association.user_id = v.number32(); }},
            {"account", [&](const Node& v) { association.link.account = v.text(); }},
            {"usage", [&](const Node& v) { read_object(v, usage_keys(association.link.usage, catalogue)); }},
        },
        [&](const std::string& name, const Node& v) {
            return read_limit(name, v, catalogue, association.link.limits);
        });
    return association;
}

std::shared_ptr<const model::Partition> read_partition(const Node& node) {
    auto partition = std::make_shared<model::Partition>();
    read_object(node, {
                          {"name", [&](const Node& v) { partition->name = v.text(); }},
                          {"qos", [&](const Node& v) { partition->qos = v.text(); }},
                          {"max_time", [&](const Node& v) { partition->max_time = v.minutes(); }},
                          {"default_time", [&](const Node& v) { partition->default_time = v.minutes(); }},
                      });
    return partition;
}

model::Enforce read_enforce(const Node& node) {
    model::Enforce enforce;
    node.for_each_element([&](const Node& v) {
        const std::string name = v.text();
        if (name == "associations")
            enforce.associations = true;
        else if (name == "limits")
            enforce.limits = true;
        else if (name == "qos")
            enforce.qos = true;
        else if (name == "safe")
            enforce.safe = true;
        else
            v.fail("must be associations, limits, qos or safe");
    });
    return enforce;
}

/// A job as the scenario describes it, before it is combined with the records.
struct JobPart {
    std::uint32_t user = 0;
    std::string account;
    std::optional<std::string> qos;
    std::vector<std::string> partitions;
    model::ResolvedJob resolved;
};

void read_operator_set(const Node& node, const model::TresCatalogue& catalogue, model::ResolvedJob& job) {
    node.for_each_element([&](const Node& v) {
        const std::string name = v.text();
        if (name == "time") {
            job.operator_set_time = true;
            return;
        }
        const auto index = catalogue.find(name);
        if (!index) v.fail("must be \"time\" or a TRES of this scenario");
        job.operator_set_tres.resize(catalogue.size());
        job.operator_set_tres[*index] = true;
    });
}

JobPart read_job(const Node& node, const model::TresCatalogue& catalogue) {
    JobPart job;
    job.resolved.tres.resize(catalogue.size());
    read_object(
        node, {
                  {"user", [&](const Node& v) { job.user = v.number32(); }},
                  {"account", [&](const Node& v) { job.account = v.text(); }},
                  {"qos",
                   [&](const Node& v) {
                       if (!v.value.is_null()) job.qos = v.text();
                   }},
                  {"partitions",
                   [&](const Node& v) {
                       v.for_each_element([&](const Node& name) { job.partitions.push_back(name.text()); });
                   }},
                  {"time_limit",
                   [&](const Node& v) {
                       if (!v.value.is_null()) job.resolved.time_limit = v.minutes();
                   }},
                  {"time_min",
                   [&](const Node& v) {
                       if (!v.value.is_null()) job.resolved.time_min = v.minutes();
                   }},
                  {"tres", [&](const Node& v) { job.resolved.tres = read_counts(v, catalogue); }},
                  {"alloc_tres", [&](const Node& v) { job.resolved.allocated = read_counts(v, catalogue); }},
                  {"array_tasks", [&](const Node& v) { job.resolved.array_tasks = v.number32(); }},
                  {"update", [&](const Node& v) { job.resolved.is_update = v.boolean(); }},
                  {"operator_set", [&](const Node& v) { read_operator_set(v, catalogue, job.resolved); }},
              });
    return job;
}

/// The catalogue of a scenario. Scenarios in one file nearly always share it, so the last one is cached.
std::shared_ptr<const model::TresCatalogue> read_catalogue(const Node& node) {
    std::vector<std::string> names;
    node.for_each_element([&](const Node& v) { names.push_back(v.text()); });
    return std::make_shared<const model::TresCatalogue>(std::move(names));
}

/// A scenario's associations are the job's chain, user first.
void link_chain(std::vector<LocalAssociation>& chain) {
    for (std::size_t i = 0; i + 1 < chain.size(); ++i)
        chain[i].parent = i + 1;
}

Scenario read_scenario(const Node& root) {
    Scenario scenario;
    LocalRecords records;
    if (root.value.is_object() && root.value.contains("tres")) records.tres = read_catalogue(root.at("tres"));
    std::vector<std::shared_ptr<const model::Partition>> partitions;
    std::optional<JobPart> job;
    const auto& catalogue = *records.tres;
    read_object(
        root,
        {
            {"id", [&](const Node& v) { scenario.id = v.text(); }},
            {"tres", [](const Node&) { /* read above, everything else needs it */ }},
            {"enforce", [&](const Node& v) { records.enforce = read_enforce(v); }},
            {"qos",
             [&](const Node& v) {
                 v.for_each_element([&](const Node& q) { records.qos.push_back(read_qos(q, catalogue)); });
             }},
            {"associations",
             [&](const Node& v) {
                 v.for_each_element(
                     [&](const Node& a) { records.associations.push_back(read_association(a, catalogue)); });
             }},
            {"partitions",
             [&](const Node& v) {
                 v.for_each_element([&](const Node& p) { partitions.push_back(read_partition(p)); });
             }},
            {"job", [&](const Node& v) { job = read_job(v, catalogue); }},
            {"expect", [](const Node&) { /* for whoever compares; not ours to read */ }},
        });
    if (!job) root.fail("has no job");
    link_chain(records.associations);

    std::vector<std::shared_ptr<const model::Partition>> asked;
    Lookup lookup;
    lookup.user_id = job->user;
    lookup.account = job->account;
    if (job->qos) lookup.qos = *job->qos;
    for (const std::string& name : job->partitions) {
        const auto found = std::find_if(partitions.begin(), partitions.end(),
                                        [&](const auto& p) { return p->name == name; });
        if (found == partitions.end())
            root.fail("job.partitions names '" + text::printable(name) + "', which is not in partitions");
        asked.push_back(*found);
    }
    lookup.partitions = asked;
    auto view = LocalQuota(std::move(records)).check(lookup);
    if (!view) root.fail(view.error().message);
    const model::QosProblem problem = view->job_qos.problem;
    if (problem == model::QosProblem::unknown || problem == model::QosProblem::list_not_allowed)
        root.fail("job.qos names '" + text::printable(*job->qos) + "', which is not in qos");
    scenario.view = *std::move(view);
    // A job without a QOS differs from a job that asks for the default QOS.
    if (!job->qos) scenario.view.job_qos = {};
    scenario.job = std::move(job->resolved);
    return scenario;
}

} // namespace

Result<Scenario> parse_scenario(std::string_view text) {
    try {
        const json value = json::parse(text);
        return read_scenario({value, ""});
    } catch (const json::exception& error) {
        return Error{ErrorCode::invalid_input, text::format("not a JSON object: {}", error.what())};
    } catch (const BadScenario& error) {
        return Error{ErrorCode::invalid_input, error.what()};
    }
}

} // namespace qg::quota
