// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/script/records_host.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/record_fields.hpp"
#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/quota/view_builder.hpp"
#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/script_fields.hpp"
#include "qosgate/slurm/script_jobs.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <string>
#include <type_traits>
#include <variant>

#include <slurm/slurm_errno.h>

namespace qg::script {

// ---- Slurm's job description ---------------------------------------------------------------------------

namespace {

using model::ScriptValue;
using policy::ErrorText;
using policy::report_into;
using policy::compat::FieldType;
using policy::compat::RecordField;
using policy::compat::WordList;

constexpr std::size_t max_text = policy::Budget::max_string; ///< of one text that a script reads

/// One that is longer than max_text is an error when it is pushed, so no more of it is read.
ScriptValue bounded_text(const char* text) noexcept {
    if (text == nullptr) return {};
    return ScriptValue::of_text(std::string_view(text, strnlen(text, max_text + 1)));
}

// ---- fields that are not simply a field of the description ---------------------------------------------

template <bool per_cpu>
ScriptValue read_memory(const job_desc_msg_t& job) noexcept {
    if (job.pn_min_memory == NO_VAL64 || ((job.pn_min_memory & MEM_PER_CPU) != 0) != per_cpu) return {};
    return ScriptValue::of_number(static_cast<double>(job.pn_min_memory & ~std::uint64_t{MEM_PER_CPU}));
}
template <bool per_cpu>
void write_memory(job_desc_msg_t& job, const ScriptValue& value, slurm::TextOwner& /*texts*/) {
    job.pn_min_memory = slurm::to_field<std::uint64_t>(value.number) | (per_cpu ? MEM_PER_CPU : 0);
}

ScriptValue read_gres(const job_desc_msg_t& job) noexcept {
    return bounded_text(job.tres_per_node);
}

/// "gpu:2,tape" as slurmctld keeps it: "gres:gpu:2,gres:tape".
std::string with_gres_prefix(std::string_view list) {
    std::string result;
    text::for_each_part(list, ',', [&](std::string_view part) {
        if (!result.empty()) result += ',';
        if (!part.starts_with(slurm::gres_prefix)) result += slurm::gres_prefix;
        result += part;
    });
    return result;
}

void write_gres(job_desc_msg_t& job, const ScriptValue& value, slurm::TextOwner& texts) {
    texts.assign(job.tres_per_node,
                 value.text.empty() ? std::nullopt : std::optional(with_gres_prefix(value.text)));
}

ScriptValue read_site_factor(const job_desc_msg_t& job) noexcept {
    if (job.site_factor == NO_VAL) return ScriptValue::of_number(NO_VAL);
    return ScriptValue::of_number(static_cast<double>(job.site_factor) - static_cast<double>(NICE_OFFSET));
}
void write_site_factor(job_desc_msg_t& job, const ScriptValue& value, slurm::TextOwner& /*texts*/) {
    const auto factor = slurm::to_field<std::uint32_t>(value.number);
    job.site_factor = factor == NO_VAL ? NO_VAL : NICE_OFFSET + factor;
}

ScriptValue read_cron_job(const job_desc_msg_t& job) noexcept {
    return ScriptValue::of_flag((job.bitflags & CRON_JOB) != 0);
}

template <bool threads>
ScriptValue read_spec(const job_desc_msg_t& job) noexcept {
    const bool is_shown = slurm::scripts_know_spec && job.core_spec != NO_VAL16 &&
                          ((job.core_spec & CORE_SPEC_THREAD) != 0) == threads;
    return is_shown ? ScriptValue::of_number(job.core_spec & ~CORE_SPEC_THREAD) : ScriptValue{};
}
template <bool threads>
void write_spec(job_desc_msg_t& job, const ScriptValue& value, slurm::TextOwner& /*texts*/) {
    const auto spec = slurm::to_field<std::uint16_t>(value.number);
    job.core_spec = static_cast<std::uint16_t>(threads ? spec | CORE_SPEC_THREAD : spec);
}
constexpr FieldType spec_type = slurm::scripts_know_spec ? FieldType::number : FieldType::unknown;

struct OtherField {
    std::string_view name;
    FieldType type; ///< unknown: read-only
    ScriptValue (*read)(const job_desc_msg_t& job) noexcept;
    void (*write)(job_desc_msg_t& job, const ScriptValue& value, slurm::TextOwner& texts) = nullptr;
};

constexpr OtherField other_fields[] = {
    {"core_spec", spec_type, &read_spec<false>, &write_spec<false>},
    {"cron_job", FieldType::unknown, &read_cron_job},
    {"gres", FieldType::text, &read_gres, &write_gres},
    {"min_mem_per_cpu", FieldType::number, &read_memory<true>, &write_memory<true>},
    {"min_mem_per_node", FieldType::number, &read_memory<false>, &write_memory<false>},
    {"site_factor", FieldType::number, &read_site_factor, &write_site_factor},
    {"thread_spec", spec_type, &read_spec<true>, &write_spec<true>},
};

const OtherField* find_other(std::string_view name) noexcept {
    const auto* row = std::ranges::find(other_fields, name, &OtherField::name);
    return row == std::end(other_fields) ? nullptr : row;
}

// ---- environment ---------------------------------------------------------------------------------------

/// No variable has more.
std::string_view up_to_nul(std::string_view name) noexcept {
    return name.substr(0, name.find('\0'));
}

/// How many bytes of a definition are those of the name.
std::size_t common_length(const char* definition, std::string_view name) noexcept {
    std::size_t length = 0;
    while (length < name.size() && definition[length] == name[length])
        ++length;
    return length;
}

/// The place of a variable's definition, or of the null behind the last one. Null: the budget is spent.
/// Cost: an instruction for each variable before it and for each 8 bytes that its name shares with `name`.
char** find_variable(char** environment, std::string_view name, policy::Budget& budget) noexcept {
    for (; *environment != nullptr; ++environment) {
        const std::size_t common = common_length(*environment, name);
        if (!budget.take(1 + static_cast<std::int64_t>(common / 8))) return nullptr;
        if (common == name.size() && (*environment)[common] == '=') break;
    }
    return environment;
}

} // namespace

ScriptValue ScriptedJob::read(std::string_view field, ErrorText& error) noexcept {
    if (const slurm::ScriptField* row = slurm::find_script_field(field)) {
        if (row->access == slurm::ScriptAccess::write) return {};
        return std::visit(
            [this](auto member) {
                if constexpr (std::is_same_v<decltype(member), std::monostate>) {
                    return ScriptValue{};
                } else if constexpr (std::is_same_v<decltype(member), char * job_desc_msg_t::*>) {
                    return bounded_text(job_.*member);
                } else {
                    return ScriptValue::of_number(static_cast<double>(job_.*member));
                }
            },
            row->member);
    }
    if (const OtherField* row = find_other(field)) return row->read(job_);
    return owner_.read(field, job_, error);
}

ScriptValue ScriptedRecord::read(std::string_view field, ErrorText& error) noexcept {
    switch (policy::compat::record_field(field)) {
    case RecordField::copied: break;
    case RecordField::listed: return listed_.read(job_id_, field, error);
    case RecordField::withheld:
        report_into(error, [&] { error.assign(text::format("job_rec.{} cannot be read", field)); });
        return {};
    case RecordField::unknown: return {};
    }
    if (field == "job_id") return ScriptValue::of_number(job_id_);
    if (field == "resv_name") return ScriptValue::of_text(copy_.reservation);
    if (field == "origin_cluster") return ScriptValue::of_text(copy_.origin_cluster);
    if (field == "restart_cnt") return ScriptValue::of_number(copy_.restart_cnt);
    // The copy says "not set" where the record has 0.
    if (field == "max_nodes") return ScriptValue::of_number(copy_.max_nodes == NO_VAL ? 0 : copy_.max_nodes);
    return ScriptedJob::read(field, error);
}

FieldType ScriptedJob::type_of(std::string_view field) const noexcept {
    if (const slurm::ScriptField* row = slurm::find_script_field(field)) {
        if (row->access == slurm::ScriptAccess::read) return FieldType::unknown;
        return std::holds_alternative<char * job_desc_msg_t::*>(row->member) ? FieldType::text
                                                                             : FieldType::number;
    }
    const OtherField* row = find_other(field);
    return row == nullptr ? FieldType::unknown : row->type;
}

void ScriptedJob::begin_write() {
    if (before_write_ == nullptr) return;
    before_write_();
    before_write_ = nullptr;
}

void ScriptedJob::write(std::string_view field, const ScriptValue& value, ErrorText& error) noexcept {
    // The script could not read such a text.
    if (field == "script" && job_.script != nullptr && strnlen(job_.script, max_text + 1) > max_text)
        return error.assign("job_desc.script cannot be set: it is longer than 64 KiB");
    report_into(error, [&] {
        begin_write();
        const slurm::ScriptField* row = slurm::find_script_field(field);
        if (row == nullptr) {
            if (const OtherField* other = find_other(field)) other->write(job_, value, texts_);
            return;
        }
        std::visit(
            [&](auto member) {
                if constexpr (std::is_same_v<decltype(member), char * job_desc_msg_t::*>) {
                    texts_.assign(job_.*member,
                                  value.text.empty() ? std::nullopt : std::optional(std::string(value.text)));
                } else if constexpr (!std::is_same_v<decltype(member), std::monostate>) {
                    using Int = std::remove_reference_t<decltype(job_.*member)>;
                    job_.*member = slurm::to_field<Int>(value.number);
                }
            },
            row->member);
    });
}

std::size_t ScriptedJob::count(WordList list) const noexcept {
    if (list == WordList::argv) return job_.argv == nullptr ? 0 : job_.argc;
    return job_.spank_job_env == nullptr ? 0 : job_.spank_job_env_size;
}

ScriptValue ScriptedJob::word(WordList list, std::size_t index) const noexcept {
    return bounded_text((list == WordList::argv ? job_.argv : job_.spank_job_env)[index]);
}

ScriptValue ScriptedJob::variable(std::string_view name, policy::Budget& budget) const noexcept {
    if (job_.environment == nullptr) return {};
    name = up_to_nul(name);
    const char* const* place = find_variable(job_.environment, name, budget);
    if (place == nullptr || *place == nullptr) return {};
    return bounded_text(*place + name.size() + 1);
}

void ScriptedJob::set_variable(std::string_view name, std::string_view value, policy::Budget& budget,
                               ErrorText& error) noexcept {
    report_into(error, [&] {
        char** place = find_variable(job_.environment, up_to_nul(name), budget);
        if (place == nullptr) return;
        // A new one moves the others.
        if (*place == nullptr && !budget.take(place - job_.environment)) return;
        begin_write();
        const std::string definition = text::format("{}={}", name, value);
        if (*place == nullptr) {
            texts_.add_variable(job_);
            place = job_.environment;
        }
        texts_.assign(*place, definition);
    });
}

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
