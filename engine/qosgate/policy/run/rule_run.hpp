// SPDX-License-Identifier: GPL-2.0-or-later
//
// RuleRun: one run of one rule for one job, or of several that do nothing. Writes go to a draft, which the
// first write makes. So a rule that fails, or whose mode is not `enforce`, does not change the job. At a
// change of a job writes have no effect: rules read the job that the change makes, and not one that they
// would prefer.
#pragma once

#include "qosgate/policy/client_host.hpp"
#include "qosgate/policy/objects/fields.hpp"
#include "qosgate/policy/objects/rule_view.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qg::policy {

/// What a rule tells the user of a job that it accepts.
struct Remark {
    std::string text;
    bool is_warning = false; ///< else a note
};

/// Threads: not thread-safe. The members that Lua's C functions call are noexcept and report through
/// ErrorText.
class RuleRun {
  public:
    /// The maximum number of remarks of one rule for one job; more are dropped.
    static constexpr std::size_t max_remarks = 10;

    /// `facts` is of the job as the rules before have left it; null: it is to be counted again when it is
    /// needed. Ownership: everything else is borrowed for the object's life.
    RuleRun(const model::JobRequest& job, std::shared_ptr<const RuleInput> facts, const RuleInput& asked,
            JobEvent event) noexcept
        : job_(job), facts_(std::move(facts)), asked_(asked), event_(event) {}

    /// Begins with a rule. The job before a change; null: the rule cannot read it. Ownership: borrows.
    void start_rule(const JobBefore* before) noexcept {
        before_ = before;
        has_looked_further_ = false;
    }
    /// Whether the rule has looked at more than fields that KeptFields knows of.
    [[nodiscard]] bool has_looked_further() const noexcept { return has_looked_further_; }

    /// The job as it is now. Its facts may be older, unless refresh() was called after the last write. The
    /// rule may look at anything of it.
    [[nodiscard]] FieldSource source() const noexcept {
        has_looked_further_ = true;
        return present();
    }
    /// The same for a field that KeptFields knows of, and for others than the rule.
    [[nodiscard]] FieldSource present() const noexcept {
        return {draft_ ? *draft_ : job_, facts_ ? *facts_ : asked_};
    }
    /// The TRES in the order in which `view` counts.
    [[nodiscard]] const model::TresCatalogue& catalogue_of_view() const noexcept {
        return asked_.view != nullptr && asked_.view->catalogue != nullptr ? *asked_.view->catalogue
                                                                           : asked_.catalogue;
    }
    /// Counts the job again if that is needed. Returns whether it did.
    bool refresh(ErrorText& error) noexcept;
    /// Null: the job has to be counted again.
    [[nodiscard]] const std::shared_ptr<const RuleInput>& facts() const noexcept { return facts_; }
    [[nodiscard]] const JobBefore* before() const noexcept { return before_; }
    /// Null: there is none.
    [[nodiscard]] RuleView* view() const noexcept {
        has_looked_further_ = true;
        return asked_.view;
    }

    /// The client whose options the rule reads; null: it reads a job.
    [[nodiscard]] ClientHost* client() const noexcept { return asked_.client; }
    /// What an option of the client has, with what this rule wrote. Sets `error` if there is no such option.
    /// Errors: throws std::bad_alloc.
    [[nodiscard]] OptionValue option(const std::string& name, ErrorText& error) const;
    /// Writes an option of the client.
    void set_option(std::string_view name, const Value& value, ErrorText& error) noexcept;

    void write(const FieldSpec& field, const Value& value, ErrorText& error) noexcept;
    /// Sets a variable of the environment; check_variable() has allowed it.
    void write_variable(std::string_view name, std::string_view value, ErrorText& error) noexcept;
    /// Adds a part to a field that is a list.
    void add(const FieldSpec& field, std::string_view part, ErrorText& error) noexcept;
    void warn(std::string_view message, ErrorText& error) noexcept;
    void note(std::string_view message, ErrorText& error) noexcept;
    void reject(std::string_view message, ErrorText& error) noexcept;
    void stop() noexcept { has_stopped_ = true; }

    /// The changed job; null if the rule wrote nothing.
    std::unique_ptr<model::JobRequest>& draft() noexcept { return draft_; }
    /// What the rule wrote to the client's options; not yet there.
    [[nodiscard]] const std::vector<OptionChange>& option_changes() const noexcept { return option_changes_; }
    [[nodiscard]] const std::vector<Remark>& remarks() const noexcept { return remarks_; }
    [[nodiscard]] const std::optional<std::string>& rejection() const noexcept { return rejection_; }
    /// Whether the rule ended the chain with job:stop().
    [[nodiscard]] bool has_stopped() const noexcept { return has_stopped_; }
    /// Whether the rule did anything of this. If not, the next rule can have the same run.
    [[nodiscard]] bool has_acted() const noexcept {
        return draft_ != nullptr || !remarks_.empty() || rejection_ || !option_changes_.empty() ||
               has_stopped_;
    }

  private:
    [[nodiscard]] bool keeps_writes() const noexcept { return event_ == JobEvent::submit; }
    void remark(std::string_view message, bool is_warning, ErrorText& error) noexcept;

    const model::JobRequest& job_;
    std::shared_ptr<const RuleInput> facts_;
    const RuleInput& asked_; ///< of the job before all rules
    const JobEvent event_;
    const JobBefore* before_ = nullptr;
    mutable bool has_looked_further_ = false;  ///< the rule that runs
    std::unique_ptr<model::JobRequest> draft_; ///< not on the stack: most rules write nothing
    std::vector<OptionChange> option_changes_;
    std::vector<Remark> remarks_;
    std::optional<std::string> rejection_;
    bool has_stopped_ = false;
};

} // namespace qg::policy
