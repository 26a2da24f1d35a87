// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/plan_base.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/spec/access_tree.hpp"

#include <algorithm>
#include <map>

namespace qg::spec {
namespace {

using model::AssociationName;
using model::AssociationRecord;
using model::QosRecord;

/// The most sentences that a message has.
constexpr std::size_t max_shown = 12;

constexpr std::size_t max_value_bytes = 1000;

std::string shown(const model::NameSet& names) {
    return names.empty()
               ? "none"
               : text::printable(text::join(std::vector(names.begin(), names.end()), ","), max_value_bytes);
}

/// What differs between two readings of an association, in words.
std::string differences(const AssociationRecord& before, const AssociationRecord& now) {
    if (before.qos != now.qos)
        return text::format("its QOSs are {} now, not {}", shown(now.qos), shown(before.qos));
    if (before.default_qos != now.default_qos)
        return text::format("its default QOS is {} now, not {}", now.default_qos.value_or("none"),
                            before.default_qos.value_or("none"));
    return "where it has its QOSs from has changed";
}

class Comparison {
  public:
    Comparison(const Plan& plan, std::span<const QosRecord> qos,
               std::span<const AssociationRecord> associations)
        : plan_(plan) {
        for (const QosRecord& record : qos)
            qos_.emplace(record.name, &record);
        if (plan.access_base.empty()) return;
        for (const AssociationRecord& record : associations)
            associations_.emplace(record.name, &record);
    }

    std::vector<std::string> sentences() && {
        for (const QosRecord& record : plan_.created)
            if (qos_.contains(record.name))
                moved_.push_back(text::format("QOS '{}' exists now", text::printable(record.name)));
        for (const PlannedUpdate& update : plan_.updated)
            compare(update.before);
        for (const QosRecord& record : plan_.removed)
            compare(record);
        for (const AssociationRecord& base : plan_.access_base)
            compare(base);
        return std::move(moved_);
    }

  private:
    void compare(const QosRecord& base) {
        const auto now = qos_.find(base.name);
        if (now == qos_.end()) {
            moved_.push_back(text::format("QOS '{}' does not exist any more", text::printable(base.name)));
            return;
        }
        for (const auto& change : model::differences(base, *now->second))
            moved_.push_back(text::format("QOS '{}': {} is {} now, not {}", text::printable(base.name),
                                          change.field->name, text::printable(change.after, max_value_bytes),
                                          text::printable(change.before, max_value_bytes)));
    }

    void compare(const AssociationRecord& base) {
        const auto now = associations_.find(base.name);
        if (now == associations_.end())
            moved_.push_back(text::format("there is no association of {} any more", describe(base.name)));
        else if (*now->second != base)
            moved_.push_back(describe(base.name) + ": " + differences(base, *now->second));
    }

    const Plan& plan_;
    std::map<std::string_view, const QosRecord*> qos_;
    std::map<AssociationName, const AssociationRecord*> associations_;
    std::vector<std::string> moved_;
};

} // namespace

std::string list_sentences(std::span<const std::string> sentences) {
    const std::size_t shown = std::min(sentences.size(), max_shown);
    std::string all = text::join(sentences.first(shown), "; ");
    if (shown < sentences.size()) all += text::format("; and {} more", sentences.size() - shown);
    return all;
}

Result<void> expect_base(const Plan& plan, std::span<const QosRecord> qos,
                         std::span<const AssociationRecord> associations) {
    const auto moved = Comparison(plan, qos, associations).sentences();
    if (moved.empty()) return {};
    return Error{
        ErrorCode::conflict,
        text::format("the records changed since the plan was made: {}; nothing was changed, make a new plan",
                     list_sentences(moved))};
}

} // namespace qg::spec
