// SPDX-License-Identifier: GPL-2.0-or-later
//
// JobDetails: the values of a request that only site rules read. They stay where the request came from and
// are read when a rule asks for them, so a large script or environment costs nothing. What rules write is
// kept here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace qg::model {

/// The values. Texts have no default; numbers are whole.
enum class JobDetail : std::uint8_t {
    burst_buffer,     ///< text: --bb, --bbf
    container,        ///< text: --container
    dependency,       ///< text: --dependency
    excluded_nodes,   ///< text: --exclude
    extra,            ///< text: --extra
    mail_user,        ///< text: --mail-user
    network,          ///< text: --network
    script,           ///< text: the batch script, its beginning if it is long
    std_err,          ///< text: --error
    std_in,           ///< text: --input
    std_out,          ///< text: --output
    submit_host,      ///< text: the host on which the client ran
    wckey,            ///< text: --wckey
    work_dir,         ///< text: --chdir
    sharing,          ///< text: "no", "ok", "user", "mcs" or "topo"
    begin_time,       ///< seconds since 1970: --begin
    contiguous,       ///< 1: --contiguous
    core_spec,        ///< specialized cores: --core-spec
    cores_per_socket, ///< --cores-per-socket
    deadline,         ///< seconds since 1970: --deadline
    disable_binding,  ///< 1: --gres-flags=disable-binding
    enforce_binding,  ///< 1: --gres-flags=enforce-binding
    het_offset,       ///< place in a heterogeneous job, from 0
    mail_type,        ///< bits of --mail-type, as Slurm has them
    nice,             ///< --nice
    plane,            ///< 1: --distribution=plane
    reboot,           ///< 1: --reboot
    requeue,          ///< 0: --no-requeue; 1: --requeue
    spread_job,       ///< 1: --spread-job
    switches,         ///< --switches
    switches_wait,    ///< seconds: --switches=COUNT@TIME
    tasks_per_core,   ///< --ntasks-per-core
    thread_spec,      ///< specialized threads: --thread-spec
    threads_per_core, ///< --threads-per-core
    tmp_disk,         ///< MiB per node: --tmp
    use_min_nodes,    ///< 1: --use-min-nodes
};

/// The value of one detail. Trivial. Ownership: `text` is borrowed.
struct DetailValue {
    enum class Kind : std::uint8_t { unset, text, number, too_long };
    Kind kind = Kind::unset;
    std::int64_t number = 0; ///< of `too_long`: how many bytes are read
    std::string_view text = {};

    friend bool operator==(const DetailValue&, const DetailValue&) = default;
};

/// What a rule does with a field.
enum class FieldUse : std::uint8_t { read, is_set };

/// Whether the source of a request holds all that the request said.
enum class SourceExtent : std::uint8_t { whole, partial };

/// Reads details from the source of a request.
/// Threads: any. Cost: each text is read up to a bound.
class DetailReader {
  public:
    /// `job` is what this reader knows how to read; `update` is null, or a change of the job.
    [[nodiscard]] virtual DetailValue read(const void* job, const void* update,
                                           JobDetail detail) const noexcept = 0;
    /// The number of words of the command, the script first.
    [[nodiscard]] virtual std::size_t argument_count(const void* job) const noexcept = 0;
    /// One of these words; too_long if it is. `index` is below the count.
    [[nodiscard]] virtual DetailValue argument(const void* job, std::size_t index) const noexcept = 0;
    /// The number of variables in the environment that the client sent.
    [[nodiscard]] virtual std::size_t variable_count(const void* job) const noexcept = 0;
    /// The value of a variable; unset if there is none. Looks at the first JobDetails::max_variables.
    [[nodiscard]] virtual DetailValue variable(const void* job, std::string_view name) const noexcept = 0;

    /// Of a source that does not hold all of a request: a rule reads a field, or asks whether the request
    /// sets it.
    virtual void note_use(const void* job, std::string_view field, FieldUse use) const noexcept {
        static_cast<void>(job);
        static_cast<void>(field);
        static_cast<void>(use);
    }

  protected:
    ~DetailReader() = default;
};

/// Ownership: borrows the reader and what it reads; owns what was written.
class JobDetails {
  public:
    using Written = std::variant<std::monostate, std::string, std::int64_t>; ///< monostate: unset

    /// How much of a command and of an environment rules can read.
    static constexpr std::size_t max_arguments = 1024;
    static constexpr std::size_t max_variables = 4096;

    JobDetails() = default;
    JobDetails(const DetailReader& reader, const void* job, const void* update = nullptr,
               SourceExtent extent = SourceExtent::whole) noexcept
        : reader_(&reader), job_(job), update_(update), is_partial_(extent == SourceExtent::partial) {}

    /// Tells a source that does not hold all of the request what a rule wants to know.
    void note_use(std::string_view field, FieldUse use) const noexcept {
        if (is_partial_) [[unlikely]]
            reader_->note_use(job_, field, use);
    }

    /// The written value, or the one of the source.
    [[nodiscard]] DetailValue get(JobDetail detail) const noexcept {
        for (const auto& [written, value] : written_)
            if (written == detail) return show(value);
        return reader_ == nullptr ? DetailValue{} : reader_->read(job_, update_, detail);
    }

    void set(JobDetail detail, Written value) {
        for (auto& [written, old] : written_)
            if (written == detail) {
                old = std::move(value);
                return;
            }
        written_.emplace_back(detail, std::move(value));
    }

    /// What was written, in the order of the first writes.
    [[nodiscard]] std::span<const std::pair<JobDetail, Written>> written() const noexcept { return written_; }

    /// Sets a variable of the environment.
    void set_variable(std::string_view name, std::string value) {
        for (auto& [written, old] : written_variables_)
            if (written == name) {
                old = std::move(value);
                return;
            }
        written_variables_.emplace_back(name, std::move(value));
    }

    /// The variables that were written, each once, in the order of the first writes.
    [[nodiscard]] std::span<const std::pair<std::string, std::string>> written_variables() const noexcept {
        return written_variables_;
    }

    [[nodiscard]] std::size_t argument_count() const noexcept {
        return reader_ == nullptr ? 0 : reader_->argument_count(job_);
    }
    [[nodiscard]] DetailValue argument(std::size_t index) const noexcept {
        return reader_->argument(job_, index);
    }
    [[nodiscard]] std::size_t variable_count() const noexcept {
        return reader_ == nullptr ? 0 : reader_->variable_count(job_);
    }
    /// The written value of a variable, or the one of the source.
    [[nodiscard]] DetailValue variable(std::string_view name) const noexcept {
        for (const auto& [written, value] : written_variables_)
            if (written == name) return {DetailValue::Kind::text, 0, value};
        return reader_ == nullptr ? DetailValue{} : reader_->variable(job_, name);
    }

  private:
    static DetailValue show(const Written& value) noexcept {
        if (const auto* text = std::get_if<std::string>(&value))
            return {text->empty() ? DetailValue::Kind::unset : DetailValue::Kind::text, 0, *text};
        if (const auto* number = std::get_if<std::int64_t>(&value))
            return {DetailValue::Kind::number, *number, {}};
        return {};
    }

    const DetailReader* reader_ = nullptr; ///< null: nothing is known but what was written
    const void* job_ = nullptr;
    const void* update_ = nullptr;
    bool is_partial_ = false;
    std::vector<std::pair<JobDetail, Written>> written_;
    std::vector<std::pair<std::string, std::string>> written_variables_;
};

} // namespace qg::model
