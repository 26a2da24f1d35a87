// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/run/rule_run.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/lua/writable_env.hpp"
#include "qosgate/policy/objects/client_binding.hpp"

#include <algorithm>

namespace qg::policy {
namespace {

constexpr std::size_t max_message = 1000;

/// A message that is safe for a terminal: one line without control characters (a job's name may contain any).
std::string one_line(std::string_view message) {
    std::string line(message);
    std::replace(line.begin(), line.end(), '\n', ' ');
    return text::printable(text::trim(line), max_message);
}

} // namespace

void RuleRun::write(const FieldSpec& field, const Value& value, ErrorText& error) noexcept {
    report_into(error, [&] {
        std::unique_ptr<model::JobRequest> dropped;
        std::unique_ptr<model::JobRequest>& target = keeps_writes() ? draft_ : dropped;
        if (!target) target = std::make_unique<model::JobRequest>(job_);
        const auto written = write_field(field, *target, value);
        if (!written)
            error.assign(written.error().message);
        else if (keeps_writes() && !field.is_detail())
            facts_.reset();
    });
}

OptionValue RuleRun::option(const std::string& name, ErrorText& error) const {
    const auto written = std::ranges::find(option_changes_, name, &OptionChange::name);
    if (written != option_changes_.end()) return written->value;
    if (client()->form_of(name) == OptionForm::unknown)
        error.assign(describe_unknown_option(*client(), name));
    return client()->get(name);
}

void RuleRun::set_option(std::string_view name, const Value& value, ErrorText& error) noexcept {
    report_into(error, [&] {
        auto change = to_option_change(*client(), name, value);
        if (!change) return error.assign(change.error().message);
        add_change(option_changes_, *std::move(change));
        if (option_changes_.size() <= max_option_changes) return;
        option_changes_.pop_back();
        error.assign(text::format("a rule changes at most {} options", max_option_changes));
    });
}

void RuleRun::write_variable(std::string_view name, std::string_view value, ErrorText& error) noexcept {
    report_into(error, [&] {
        if (!keeps_writes()) return;
        if (!draft_) draft_ = std::make_unique<model::JobRequest>(job_);
        model::JobDetails& details = draft_->details;
        const bool is_known = std::ranges::any_of(details.written_variables(),
                                                  [name](const auto& one) { return one.first == name; });
        if (!is_known && details.written_variables().size() >= max_written_variables)
            error.assign("job.env: rules write at most 64 variables of a job");
        else
            details.set_variable(name, std::string(value));
    });
}

void RuleRun::add(const FieldSpec& field, std::string_view part, ErrorText& error) noexcept {
    const Value list = field.read(present(), error);
    if (!error.empty()) return;
    report_into(error, [&] {
        const auto longer = add_to_list(keeps_writes() ? list.text : std::string_view(), part, field.list);
        if (!longer)
            error.assign(text::format("job.{}: {}", field.name, longer.error().message));
        else if (*longer != list.text)
            write(field, Value::of_text(*longer), error);
    });
}

bool RuleRun::refresh(ErrorText& error) noexcept {
    if (facts_ || asked_.recounter == nullptr) return false;
    report_into(error, [&] {
        auto counted = asked_.recounter->recount(present().request);
        if (counted)
            facts_ = *std::move(counted);
        else
            error.assign(counted.error().message);
    });
    return true;
}

void RuleRun::remark(std::string_view message, bool is_warning, ErrorText& error) noexcept {
    report_into(error, [&] {
        if (remarks_.size() < max_remarks) remarks_.push_back({one_line(message), is_warning});
    });
}

void RuleRun::warn(std::string_view message, ErrorText& error) noexcept {
    remark(message, /*is_warning=*/true, error);
}

void RuleRun::note(std::string_view message, ErrorText& error) noexcept {
    remark(message, /*is_warning=*/false, error);
}

void RuleRun::reject(std::string_view message, ErrorText& error) noexcept {
    report_into(error, [&] { rejection_ = one_line(message); });
}

} // namespace qg::policy
