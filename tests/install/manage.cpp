// SPDX-License-Identifier: GPL-2.0-or-later
//
// An administrator's program outside the source tree: manages QOSs of a live slurmdbd, and prints each step.
// Usage: manage ACCOUNT USER
#include <qosgate/admin/association_manager.hpp>
#include <qosgate/admin/qos_manager.hpp>

#include <cstdlib>
#include <iostream>

using namespace qg;

namespace {

void print(const Error& error) {
    std::cout << to_string(error.code) << ": " << error.message << '\n';
}

/// Ends the program with the error, if there is one.
template <typename T>
T expect(Result<T> result) {
    if (!result) {
        print(result.error());
        std::exit(EXIT_FAILURE);
    }
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

model::QosChange change(const std::vector<std::string>& assignments, const model::TresCatalogue& tres) {
    return expect(model::QosChange::parse(assignments, tres));
}

} // namespace

int main(int, char** words) {
    const auto client = expect(admin::Client::open(std::chrono::seconds(60)));
    admin::QosManager qos(*client);
    admin::AssociationManager access(*client);
    std::cout << client->cluster() << ", " << client->tres().size() << " TRES\n";

    model::QosRecord low;
    low.name = "lib-low";
    model::QosRecord high = change({"MaxWall=1:00:00", "GrpTRES=cpu=8,mem=1G"}, client->tres()).apply_to({});
    high.name = "lib-high";
    high.preempt = {"lib-low"};
    expect(qos.create({high, low}));
    print(qos.create({low}).error());

    // Set, cleared and left alone are three things; zero is a value.
    const std::vector<std::string> names{"lib-high"};
    const auto now =
        expect(qos.update(names, change({"Priority=7", "GrpTRES=unset", "GrpJobs=0"}, client->tres())));
    std::cout << now.front() << '\n';
    for (const model::QosRecord& record :
         expect(qos.list({.patterns = {"lib-*"}, .sort_by = "Priority", .is_descending = true})).records)
        std::cout << "listed " << record.name << '\n';

    const admin::Holder account{.account = words[1]};
    const admin::Holder user{.user = words[2]};
    std::cout << "granted " << expect(access.grant({account, user}, {"lib-high", "lib-low"})).size() << '\n';
    expect(access.set_default({user}, "lib-low"));
    print(access.revoke({user}, {"lib-low"}).error());
    for (const model::AssociationRecord& one : expect(access.tree()))
        if (one.name.user == user.user)
            std::cout << one.name.user << " has " << one.qos.size() << ", default "
                      << one.default_qos.value_or("none") << '\n';
    expect(access.set_default({user}, ""));
    expect(access.revoke({user, account}, {"lib-low"}));

    expect(client->reconnect());
    expect(qos.remove({"lib-high", "lib-low"}));
    print(qos.get("lib-high").error());
}
