// SPDX-License-Identifier: GPL-2.0-or-later
//
// A job whose resources are counted.
#pragma once

#include "support/gate_setup.hpp"

#include "qosgate/gate/partitions/partition_list.hpp"
#include "qosgate/gate/size/count_job.hpp"

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace qg::test {

using Counts = std::vector<std::uint64_t>;

struct CountSetup : GateSetup {
    model::AccountView view_in(const model::Cluster& c) const {
        quota::Lookup lookup;
        lookup.user_id = request.user_id;
        const auto asked = gate::find_partitions(request, c);
        lookup.partitions = asked.found;
        return quota::LocalQuota(records).check(lookup).value();
    }

    model::ResolvedJob count() const {
        const auto c = cluster();
        return gate::count_job(request, view_in(c), c, release);
    }
    std::uint64_t counted(std::string_view name) const { return count().tres.at(tres(name)); }
    /// The same for several TRES.
    Counts counts_of(std::initializer_list<std::string_view> wanted) const {
        Counts counts;
        for (const std::string_view name : wanted)
            counts.push_back(counted(name));
        return counts;
    }

    /// The same for an attempt to start the job in one of its partitions.
    std::uint64_t attempted(std::string_view name, std::size_t partition = 0,
                            std::optional<std::uint64_t> max_nodes = std::nullopt) const {
        const auto c = cluster();
        const auto view = view_in(c);
        const gate::JobCounter counter(request, view, c, release);
        const auto counts = counter.at_attempt(view, partition, max_nodes);
        if (counts) return counts->at(tres(name));
        model::ResolvedJob job;
        counter.count_submission(view, job);
        return job.tres.at(tres(name));
    }
    /// The same for several TRES, in one release.
    Counts attempted_in(limits::Release asked, std::initializer_list<std::string_view> wanted) {
        release = asked;
        Counts counts;
        for (const std::string_view name : wanted)
            counts.push_back(attempted(name));
        return counts;
    }
};

} // namespace qg::test
