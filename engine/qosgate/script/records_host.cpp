// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/script/records_host.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/listed_field.hpp"
#include "qosgate/policy/compat/partition_groups.hpp"
#include "qosgate/quota/view_builder.hpp"
#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/script_jobs.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <exception>
#include <iterator>

#include <slurm/slurm_errno.h>

namespace qg::script {
namespace {

using model::ScriptValue;
using quota::JobRecords;

template <typename Copy>
class Copying final : public quota::RecordsReader {
  public:
    explicit Copying(Copy& copy) : copy_(copy) {}
    void read(const JobRecords& records) override { copy_(records); }

  private:
    Copy& copy_;
};

std::string name_of(const JobRecords& records, std::optional<std::uint32_t> qos) {
    return qos && records.has_qos(*qos) ? std::string(records.qos_name(*qos)) : std::string();
}

std::string read_default_account(const JobRecords& records, std::uint32_t user_id) {
    return records.copy_user(user_id).default_account;
}
std::string read_default_qos(const JobRecords& records, std::uint32_t /*user_id*/) {
    return name_of(records, records.association_default());
}
std::string read_user_name(const JobRecords& records, std::uint32_t user_id) {
    return records.copy_user(user_id).name;
}
std::string read_assoc_qos(const JobRecords& records, std::uint32_t /*user_id*/) {
    return text::join(records.permitted_names(), ",");
}

/// A field of job_desc that accounting answers; an empty text is nil.
struct OwnerField {
    std::string_view name;
    std::string (*read)(const JobRecords& records, std::uint32_t user_id);
};
constexpr OwnerField owner_fields[] = {
    {"assoc_qos", &read_assoc_qos},
    {"default_account", &read_default_account},
    {"default_qos", &read_default_qos},
    {"user_name", &read_user_name},
};

} // namespace

template <typename Copy>
Result<void> RecordsScriptHost::copy_records(const job_desc_msg_t& job, Copy copy) const {
    quota::Lookup lookup;
    lookup.user_id = job.user_id;
    lookup.account = slurm::view_text(job.account);
    std::vector<std::shared_ptr<const model::Partition>> partitions;
    if (cluster_ != nullptr)
        if (const auto found = cluster_->partitions.find(slurm::view_text(job.partition)))
            partitions.push_back(found);
    lookup.partitions = partitions;
    Copying reader(copy);
    return records_.read(lookup, reader);
}

ScriptValue RecordsScriptHost::read(std::string_view field, const job_desc_msg_t& job,
                                    policy::ErrorText& error) noexcept {
    const auto* row = std::ranges::find(owner_fields, field, &OwnerField::name);
    // A change names no user, so such fields are unset.
    if (row == std::end(owner_fields) || job.user_id == NO_VAL) return {};
    try {
        text_.clear();
        const auto done =
            copy_records(job, [&](const JobRecords& records) { text_ = row->read(records, job.user_id); });
        if (!done) error.assign(done.error().message);
        if (done && text_.empty() && field == "user_name") {
            const auto user = find_user(job.user_id); // accounting does not know the user
            if (!user) error.assign(user.error().message);
            if (user && *user != nullptr) text_ = (*user)->name;
        }
    } catch (const std::exception& problem) {
        error.assign(problem.what());
    }
    return text_.empty() ? ScriptValue{} : ScriptValue::of_text(std::string_view(text_));
}

ScriptValue RecordsScriptHost::read(std::uint32_t job_id, std::string_view field,
                                    policy::ErrorText& error) noexcept {
    ScriptValue value;
    policy::report_into(error, [&]() -> Result<void> {
        const auto all = jobs();
        if (!all) return Error(all.error()).in(text::format("job_rec.{}", field));
        const auto index = slurm::find_script_job(**all, job_id);
        depends_on_moment_ = depends_on_moment_ || !index;
        if (!index)
            return Error{ErrorCode::unavailable,
                         text::format("job_rec.{} is not known yet: the job is newer than the last reading "
                                      "of slurm.jobs; try again in some seconds",
                                      field)};
        value = policy::compat::read_listed_field(**all, *index, field, "job", error);
        depends_on_moment_ = depends_on_moment_ || value.kind == ScriptValue::Kind::unknown;
        return {};
    });
    return value;
}

Result<policy::compat::ScriptJob*> RecordsScriptHost::record() {
    if (!read_record_) return Error{ErrorCode::invalid_input, "a new job has no record"};
    if (!record_) {
        const auto copy = read_record_();
        if (!copy) return copy.error();
        ScriptOwner& accounting = *this;
        record_.emplace(**copy, slurm::job_id_of(**copy), accounting, static_cast<ListedJobs&>(*this),
                        texts_);
        owner_ = (*copy)->user_id;
    }
    return &*record_;
}

Result<const model::ScriptRecords*> RecordsScriptHost::partitions() {
    // Which partitions the script sees depends on the job's owner.
    if (read_record_)
        if (const auto read = record(); !read) return read.error();
    if (cluster_ == nullptr) return cluster_not_known("partitions");
    return &cluster_->script_partitions;
}

Result<bool> RecordsScriptHost::may_use(const model::ScriptRecords& partitions, std::size_t index) {
    const auto flags = static_cast<std::uint32_t>(partitions.get(index, "flags").number);
    if (owner_ == 0) return (flags & PART_FLAG_NO_ROOT) == 0;
    if ((flags & PART_FLAG_ROOT_ONLY) != 0 && submit_uid_ != 0) return false;
    auto may = policy::compat::is_shown_to(partitions.get(index, "allow_groups").text, owner_, *this);
    depends_on_moment_ = depends_on_moment_ || (!may && !find_user(owner_));
    return may;
}

Result<std::string> RecordsScriptHost::name_in_accounting(std::uint32_t id) const {
    std::string name;
    job_desc_msg_t nobody{};
    nobody.user_id = id;
    const auto done =
        copy_records(nobody, [&](const JobRecords& records) { name = records.copy_user(id).name; });
    if (!done) return done.error();
    return name;
}

Result<const model::ScriptRecords*> RecordsScriptHost::reservations() {
    if (cluster_ == nullptr) return cluster_not_known("reservations");
    return &cluster_->script_reservations;
}

Result<const model::ScriptRecords*> RecordsScriptHost::jobs() {
    if (seen_jobs_) return seen_jobs_.get();
    auto read = read_jobs();
    if (!read) return read.error();
    seen_jobs_ = *std::move(read);
    return seen_jobs_.get();
}

Result<std::optional<double>> RecordsScriptHost::qos_priority(std::string_view name) {
    std::optional<double> priority;
    const auto done = copy_records(description_, [&](const JobRecords& records) {
        if (const auto id = records.find(name)) priority = records.priority(*id);
    });
    if (!done) return done.error();
    return priority;
}

} // namespace qg::script
