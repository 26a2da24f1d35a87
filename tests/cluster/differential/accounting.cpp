// SPDX-License-Identifier: GPL-2.0-or-later
#include "accounting.hpp"

#include "qosgate/slurmdb/connection.hpp"
#include "qosgate/slurmdb/qos_store.hpp"
#include "qosgate/slurmdb/tres_table.hpp"

#include <list>
#include <map>
#include <stdexcept>
#include <string>

namespace qg::test {
namespace {

using nlohmann::json;
using Qos = slurmdb_qos_rec_t;
using Assoc = slurmdb_assoc_rec_t;

constexpr std::chrono::seconds time_limit{60};

template <typename T>
T must(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

template <typename Record>
struct Rows {
    std::map<std::string, std::uint32_t Record::*> counts;
    std::map<std::string, char * Record::*> tres;
};

const Rows<Qos> qos_rows{{{"GrpJobs", &Qos::grp_jobs},
                          {"GrpSubmitJobs", &Qos::grp_submit_jobs},
                          {"GrpWall", &Qos::grp_wall},
                          {"MaxJobsPerUser", &Qos::max_jobs_pu},
                          {"MaxJobsPerAccount", &Qos::max_jobs_pa},
                          {"MaxSubmitJobsPerUser", &Qos::max_submit_jobs_pu},
                          {"MaxSubmitJobsPerAccount", &Qos::max_submit_jobs_pa},
                          {"MaxWall", &Qos::max_wall_pj}},
                         {{"GrpTRES", &Qos::grp_tres},
                          {"GrpTRESMins", &Qos::grp_tres_mins},
                          {"GrpTRESRunMins", &Qos::grp_tres_run_mins},
                          {"MaxTRESMinsPerJob", &Qos::max_tres_mins_pj},
                          {"MaxTRESPerAccount", &Qos::max_tres_pa},
                          {"MaxTRESPerJob", &Qos::max_tres_pj},
                          {"MaxTRESPerNode", &Qos::max_tres_pn},
                          {"MaxTRESPerUser", &Qos::max_tres_pu},
                          {"MaxTRESRunMinsPerAccount", &Qos::max_tres_run_mins_pa},
                          {"MaxTRESRunMinsPerUser", &Qos::max_tres_run_mins_pu},
                          {"MinTRESPerJob", &Qos::min_tres_pj}}};

const Rows<Assoc> association_rows{{{"GrpJobs", &Assoc::grp_jobs},
                                    {"GrpSubmitJobs", &Assoc::grp_submit_jobs},
                                    {"GrpWall", &Assoc::grp_wall},
                                    {"MaxJobs", &Assoc::max_jobs},
                                    {"MaxSubmitJobs", &Assoc::max_submit_jobs},
                                    {"MaxWall", &Assoc::max_wall_pj}},
                                   {{"GrpTRES", &Assoc::grp_tres},
                                    {"GrpTRESMins", &Assoc::grp_tres_mins},
                                    {"GrpTRESRunMins", &Assoc::grp_tres_run_mins},
                                    {"MaxTRESMinsPerJob", &Assoc::max_tres_mins_pj},
                                    {"MaxTRESPerJob", &Assoc::max_tres_pj},
                                    {"MaxTRESPerNode", &Assoc::max_tres_pn}}};

const std::map<std::string, std::uint32_t> flag_bits{{"PartitionMinNodes", QOS_FLAG_PART_MIN_NODE},
                                                     {"PartitionMaxNodes", QOS_FLAG_PART_MAX_NODE},
                                                     {"PartitionTimeLimit", QOS_FLAG_PART_TIME_LIMIT},
                                                     {"NoReserve", QOS_FLAG_NO_RESERVE},
                                                     {"RequiresReservation", QOS_FLAG_REQ_RESV},
                                                     {"DenyOnLimit", QOS_FLAG_DENY_LIMIT},
                                                     {"OverPartQOS", QOS_FLAG_OVER_PART_QOS},
                                                     {"UsageFactorSafe", QOS_FLAG_USAGE_FACTOR_SAFE},
                                                     {"NoDecay", QOS_FLAG_NO_DECAY},
                                                     {"EnforceUsageThreshold", QOS_FLAG_ENFORCE_USAGE_THRES}};

/// What the requests point to.
class Texts {
  public:
    char* keep(std::string text) { return texts_.emplace_back(std::move(text)).data(); }

    slurm::OwnedList list_of(std::initializer_list<std::string> items) {
        auto list = slurm::make_borrowing_list();
        for (const std::string& item : items)
            slurm::append(list, keep(item));
        return list;
    }

  private:
    std::list<std::string> texts_;
};

/// slurmdbd merges TRES by TRES, so each one that is not wanted has to be cleared by name.
std::string write_tres(const json& wanted, const slurmdb::TresTable& tres) {
    std::string text;
    for (const std::string& name : tres.catalogue().names()) {
        const auto value = wanted.find(name);
        text += (text.empty() ? "" : ",") + std::to_string(*tres.find_id(name)) + "=" +
                (value == wanted.end() ? "-1" : std::to_string(value->get<std::uint64_t>()));
    }
    return text;
}

template <typename Record>
void write_limits(Record& record, const Rows<Record>& rows, const json& settings,
                  const slurmdb::TresTable& tres, Texts& texts) {
    for (const auto& [name, member] : rows.counts)
        record.*member = settings.value(name, std::uint32_t{INFINITE});
    for (const auto& [name, member] : rows.tres)
        record.*member = texts.keep(write_tres(settings.value(name, json::object()), tres));
}

void set_qos(slurmdb::Connection& connection, const slurmdb::TresTable& tres, const std::string& name,
             const json& settings) {
    Texts texts;
    Qos record;
    slurmdb_init_qos_rec(&record, /*free_it=*/false, NO_VAL);
    write_limits(record, qos_rows, settings, tres, texts);
    std::uint32_t flags = 0;
    for (const auto& flag : settings.value("Flags", json::array()))
        flags |= flag_bits.at(flag.get<std::string>());
    slurm::assign_flags(record.flags, flags);
    record.usage_factor = settings.value("UsageFactor", 1.0);
    record.usage_thres = settings.value("UsageThreshold", static_cast<double>(INFINITE));
    record.limit_factor = settings.value("LimitFactor", static_cast<double>(INFINITE));

    slurmdb_qos_cond_t condition{};
    const auto names = texts.list_of({name});
    condition.name_list = names.get();
    must(connection.ask("modify QOS " + name,
                        [&](void* db) { return slurmdb_qos_modify(db, &condition, &record); }));
}

std::map<std::string, std::uint32_t> read_qos_ids(slurmdb::Connection& connection) {
    std::map<std::string, std::uint32_t> ids;
    for (const auto& stored : must(must(slurmdb::QosStore::open(connection)).read_all()))
        ids[stored.record.name] = stored.id;
    return ids;
}

void set_association(slurmdb::Connection& connection, const slurmdb::TresTable& tres,
                     const std::map<std::string, std::uint32_t>& qos_ids, const json& settings) {
    Texts texts;
    Assoc record;
    slurmdb_init_assoc_rec(&record, /*free_it=*/false);
    write_limits(record, association_rows, settings, tres, texts);
    const auto qos = slurm::make_borrowing_list();
    if (settings.contains("QOS")) {
        for (const auto& name : settings["QOS"])
            slurm::append(qos, texts.keep(std::to_string(qos_ids.at(name.get<std::string>()))));
        record.qos_list = qos.get();
    }
    // INFINITE takes the default away.
    record.def_qos_id =
        settings.contains("DefaultQOS") ? qos_ids.at(settings["DefaultQOS"].get<std::string>()) : INFINITE;

    slurmdb_assoc_cond_t condition{};
    const auto accounts = texts.list_of({settings.at("Account").get<std::string>()});
    const auto users = texts.list_of({settings.value("User", std::string())});
    condition.acct_list = accounts.get();
    condition.user_list = users.get();
    must(connection.ask("modify an association",
                        [&](void* db) { return slurmdb_associations_modify(db, &condition, &record); }));
}

} // namespace

void set_accounting(const json& qos, const json& associations) {
    static const auto session = must(slurmdb::Session::open(time_limit));
    static const auto connection = must(slurmdb::Connection::open(*session));
    static const auto tres = must(slurmdb::TresTable::load(*connection));
    static const auto qos_ids = read_qos_ids(*connection);

    slurmdb::Transaction transaction(*connection);
    for (const auto& [name, settings] : qos.items())
        set_qos(*connection, tres, name, settings);
    for (const json& settings : associations)
        set_association(*connection, tres, qos_ids, settings);
    must(transaction.commit());
}

} // namespace qg::test
