// SPDX-License-Identifier: GPL-2.0-or-later
//
// QueueSetup: the cluster of GateSetup as commands read it, with jobs of ana in its queue.
#pragma once

#include "qosgate/base/text.hpp"
#include "qosgate/model/queued_job.hpp"
#include "qosgate/report/user_world.hpp"
#include "support/gate_setup.hpp"

#include <memory>

namespace qg::test {

struct QueueSetup : GateSetup {
    static constexpr std::uint32_t ana = 1000;

    QueueSetup() {
        request.submit_uid = ana;
        request.account = "hpc-users";
        request.qos = "normal";
        request.partition = "main";
        request.time_limit = TimeLimit{60};
    }

    report::UserWorld world() const {
        return {.cluster = std::make_shared<const model::Cluster>(cluster()),
                .accounting = std::make_unique<const quota::LocalQuota>(records),
                .users = {{"ana", ana}},
                .now = 0};
    }

    /// A pending job of ana with so many CPUs.
    model::QueuedJob pending(std::uint32_t cpus) const {
        model::QueuedJob job;
        job.id = 12;
        job.name = "12";
        job.user_id = ana;
        job.account = "hpc-users";
        job.qos = "normal";
        job.partition = "main";
        job.time_limit = request.time_limit;
        job.tres = text::format("cpu={},mem={}M,node=1,billing={}", cpus, 1000 * cpus, cpus);
        job.request = request;
        job.request.tasks = job.request.min_cpus = cpus;
        return job;
    }
    /// The same, running.
    model::QueuedJob running(std::uint32_t cpus) const {
        model::QueuedJob job = pending(cpus);
        job.state = model::QueueState::running;
        return job;
    }

    /// A limit of QOS normal on CPUs.
    void limit_cpus(model::TresLimit limit, std::uint64_t cpus) {
        qos(0).limits.set(limit, tres("cpu"), cpus);
    }
    /// What jobs with QOS normal use, all of ana.
    void use_cpus(std::uint64_t cpus) {
        qos(0).usage.tres = {cpus};
        records.qos.at(0).users[ana].tres = {cpus};
    }
};

} // namespace qg::test
