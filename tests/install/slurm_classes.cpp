// SPDX-License-Identifier: GPL-2.0-or-later
//
// The same as engine_classes.cpp for the classes that need Slurm. No daemon is asked: of what would ask one
// it is enough that the linker finds it.
#include <qosgate/admin/association_manager.hpp>
#include <qosgate/admin/qos_manager.hpp>
#include <qosgate/slurm/cluster_quota.hpp>
#include <qosgate/slurm/cluster_reader.hpp>
#include <qosgate/slurm/headroom.hpp>
#include <qosgate/slurm/job_desc_copy.hpp>
#include <qosgate/slurm/user_quota.hpp>
#include <qosgate/slurmdb/association_store.hpp>
#include <qosgate/slurmdb/connection.hpp>
#include <qosgate/slurmdb/qos_commit.hpp>
#include <qosgate/slurmdb/qos_convert.hpp>
#include <qosgate/slurmdb/qos_store.hpp>

#include <iostream>

using namespace qg;

namespace {

template <typename... Functions>
void expect_linked(Functions... functions) {
    const bool are_there = (... && (functions != nullptr));
    std::cout << (are_there ? "linked\n" : "missing\n");
}

} // namespace

int main() {
    const slurm::ClusterQuota quota;
    std::cout << "cluster: " << quota.check({}).error().message << '\n';
    const slurm::UserQuota user_quota(slurm_conf_t{}, "ana");
    std::cout << "user: " << (user_quota.failure() ? "failed" : "not asked") << '\n';
    slurm::ClusterReader reader;
    const model::ResourceBounds bounds;
    const slurm::Headroom headroom(bounds, 0, "");

    slurmdb::WireQos wire("normal", {});
    const slurmdb::TresTable tres({{1, "cpu"}});
    std::cout << wire.get()->name << ' ' << tres.find_id("cpu").value_or(0) << '\n';

    using slurmdb::Deadline;
    Deadline deadline(std::chrono::minutes(1));
    std::cout << "deadline " << (deadline.expired() ? "over" : "ahead") << '\n';

    std::string_view nothing;
    std::cout << "description: " << slurm::JobDescCopy::unpack(nothing).error().message << '\n';

    const slurmdb::AssociationTree tree({{.id = 1, .name = {.cluster = "c", .account = "root"}}});
    std::cout << tree.records().size() << " associations\n";

    using AboutQos = bool (slurm::Headroom::*)(const slurmdb_qos_rec_t&) const;
    expect_linked(&slurm::ClusterReader::poll, &slurm::ClusterReader::read,
                  static_cast<AboutQos>(&slurm::Headroom::suffices_for), &slurmdb::Library::start,
                  &slurmdb::Session::open, &slurmdb::Session::late_notice, &slurmdb::Connection::open,
                  &slurmdb::Transaction::commit, &slurmdb::QosStore::open, &slurmdb::QosStore::read_all,
                  &slurmdb::QosStore::write, &slurmdb::PreemptAnnouncement::as_rest,
                  &slurmdb::AssociationStore::read_all, &admin::Client::open, &admin::QosManager::get,
                  &admin::AssociationManager::tree);
}
