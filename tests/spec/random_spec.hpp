// SPDX-License-Identifier: GPL-2.0-or-later
//
// RandomSpec: random live states and files that fit each other now and then.
#pragma once

#include "qosgate/spec/ownership.hpp"
#include "spec/spec_setup.hpp"

#include <algorithm>
#include <random>

namespace qg::test {

class RandomSpec {
  public:
    explicit RandomSpec(unsigned seed) : engine_(seed) {}

    bool chance(unsigned percent) { return below(100) < percent; }
    std::size_t below(std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>(0, bound - 1)(engine_);
    }

    template <typename T>
    void shuffle(std::vector<T>& values) {
        std::shuffle(values.begin(), values.end(), engine_);
    }
    template <typename T>
    T any_of(const std::vector<T>& values) {
        return values[below(values.size())];
    }

    spec::PlanOptions options() { return {.take_over = chance(30), .prune = false}; }

    model::FieldValue value_of(const model::QosField& field) {
        switch (field.kind) {
        case model::FieldKind::text:
            return chance(20) ? std::string("a, \"b\": 'c' # d") : std::string("some text");
        case model::FieldKind::number:
        case model::FieldKind::duration: return static_cast<std::uint32_t>(below(3));
        case model::FieldKind::factor: return 0.5 * static_cast<double>(below(4));
        case model::FieldKind::tres: return random_tres();
        case model::FieldKind::flags: return model::NameSet{any_of(flags_)};
        case model::FieldKind::preempt_mode: return model::NameSet{any_of(modes_)};
        case model::FieldKind::qos_names: return model::NameSet{any_of(names_)};
        case model::FieldKind::name: break;
        }
        return {};
    }

    model::QosRecord record(const std::string& name) {
        model::QosRecord record = stored_qos(name);
        for (const model::QosField& field : model::qos_fields())
            if (field.kind != model::FieldKind::name && field.kind != model::FieldKind::qos_names &&
                chance(15))
                put_field(field, record, value_of(field));
        if (chance(20)) record.preempt.insert("normal");
        if (chance(50)) record.description = spec::write_mark({record.description, ownership()});
        return record;
    }

    /// `is_plain`: without differences from the account above, and without defaults that cannot be used.
    spec::LiveState live_state(bool is_plain = false) {
        std::vector<model::QosRecord> qos{stored_qos("normal")};
        for (const std::string& name : names_)
            if (name != "normal" && chance(60)) qos.push_back(record(name));
        live_names_.clear();
        for (const model::QosRecord& one : qos)
            live_names_.push_back(one.name);

        std::vector<model::AssociationRecord> all{account("root", "", {{"normal"}})};
        std::vector<std::string> accounts{"root"};
        for (const std::string& name : accounts_) {
            all.push_back(with_random_access(account(name, any_of(accounts))));
            accounts.push_back(name);
        }
        for (const std::string& name : users_)
            for (const std::string& in : accounts_)
                if (chance(50))
                    all.push_back(with_random_access(user(name, in, {}, chance(20) ? "gpu" : "")));
        spec::LiveState state = live(std::move(qos), std::move(all));
        if (is_plain) {
            std::vector<model::AssociationRecord> usable = state.associations;
            for (model::AssociationRecord& one : usable)
                one.own_default_qos.reset();
            state.associations = associations(std::move(usable));
            return state;
        }
        // What is inherited can be stored with additions and without some.
        for (model::AssociationRecord& one : state.associations)
            if (!one.own_qos && chance(20)) {
                one.added_qos.insert(any_of(live_names_));
                const std::string taken = any_of(live_names_);
                if (!one.added_qos.contains(taken)) one.removed_qos.insert(taken);
            }
        state.associations = associations(std::move(state.associations));
        return state;
    }

    spec::Desired desired() {
        spec::Desired wanted;
        for (const std::string& name : names_)
            if (chance(40)) wanted.qos.push_back(desired_qos(name));
        if (chance(30)) wanted.pruned_owners.push_back(any_of(owners_));
        return wanted;
    }

  private:
    model::TresLimits random_tres() {
        model::TresLimits limits{{any_of(tres_), below(5)}};
        limits[any_of(tres_)] = below(3000);
        return limits;
    }

    spec::Ownership ownership() {
        spec::Ownership ownership;
        if (chance(60)) ownership.creator = any_of(owners_);
        for (const model::QosField& field : model::qos_fields())
            if (field.kind != model::FieldKind::name && chance(4))
                ownership.assign(field.name, any_of(owners_));
        if (chance(10)) ownership.assign(spec::access_field, any_of(owners_));
        if (chance(5)) ownership.assign("bit90", any_of(owners_));
        return ownership;
    }

    model::AssociationRecord with_random_access(model::AssociationRecord record) {
        if (chance(40)) {
            record.own_qos = model::NameSet{any_of(live_names_), any_of(live_names_)};
            if (chance(30)) record.own_default_qos = *record.own_qos->begin();
        }
        return record;
    }

    spec::DesiredCount count() {
        switch (below(4)) {
        case 0: return std::monostate{};
        case 1: return spec::Share{static_cast<double>(below(120)), chance(30) ? "gpu" : ""};
        default: return std::uint64_t{below(100)};
        }
    }

    spec::DesiredQos desired_qos(const std::string& name) {
        spec::DesiredQos qos{.name = name, .owner = any_of(owners_), .is_complete = chance(15)};
        for (const model::QosField& field : model::qos_fields()) {
            if (field.kind == model::FieldKind::name || !chance(10)) continue;
            if (field.kind == model::FieldKind::tres && field.unit.empty() && chance(50))
                qos.fields[&field].value =
                    spec::DesiredTres{{{"cpu", count()}, {"gres/gpu", count()}}, chance(50)};
            else if (field.kind == model::FieldKind::qos_names)
                qos.fields[&field].value = model::FieldValue(model::NameSet{"normal"});
            else
                qos.fields[&field].value = chance(20) ? model::FieldValue() : value_of(field);
        }
        if (chance(60)) qos.access = access();
        return qos;
    }

    spec::DesiredAccess access() {
        spec::DesiredAccess access{.is_complete = chance(40)};
        for (const std::string& name : accounts_)
            if (chance(30)) access.accounts.push_back(name);
        for (const std::string& name : users_)
            if (chance(15)) access.users.push_back({name});
        if (chance(20)) access.default_for_accounts = access.accounts;
        return access;
    }

    std::mt19937 engine_;
    std::vector<std::string> names_{"night", "long", "normal", "short", "gpu_1", "a-b.c"};
    std::vector<std::string> live_names_;
    std::vector<std::string> accounts_{"physics", "chemistry", "lasers", "bio"};
    std::vector<std::string> users_{"ana", "bob", "cyd"};
    std::vector<std::string> owners_{"base", "ops"};
    std::vector<std::string> tres_{"cpu", "mem", "gres/gpu", "node"};
    std::vector<std::string> flags_{"DenyOnLimit", "NoReserve", "Relative"};
    std::vector<std::string> modes_{"CANCEL", "REQUEUE", "WITHIN"};
};

} // namespace qg::test
