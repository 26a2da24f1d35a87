// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/job_desc_copy.hpp"

#include "qosgate/slurm/job_desc.hpp"
#include "qosgate/slurm/job_field_members.hpp"
#include "qosgate/slurm/script_fields.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <variant>
#include <vector>

namespace qg::slurm {
namespace {

static_assert(std::is_trivially_copyable_v<job_desc_msg_t>);

/// What both processes must agree on.
struct Header {
    std::array<char, 8> magic{'q', 'g', '-', 'j', 'o', 'b', '-', '2'};
    std::uint64_t struct_size = sizeof(job_desc_msg_t);
    std::uint64_t headers = SLURM_VERSION_NUMBER >> 8; ///< the branch
    std::int64_t library = slurm_api_version();

    friend bool operator==(const Header&, const Header&) = default;
};

/// Texts beyond those in the tables of fields.
constexpr std::array<char * job_desc_msg_t::*, 3> other_texts{
    &job_desc_msg_t::clusters, &job_desc_msg_t::script, &job_desc_msg_t::submit_line};

/// Texts that only scripts read.
const std::vector<char * job_desc_msg_t::*>& texts_of_scripts() {
    using Member = char* job_desc_msg_t::*;
    static const std::vector<Member> all = [] {
        const auto is_other = [](Member member) {
            return std::ranges::find(text_fields, member, &TextField::slurm) == std::end(text_fields) &&
                   std::ranges::find(text_details, member, &TextDetail::slurm) == std::end(text_details) &&
                   std::ranges::find(other_texts, member) == other_texts.end();
        };
        std::vector<Member> members;
        for (const ScriptField& field : script_fields)
            if (const Member* member = std::get_if<Member>(&field.member);
                member != nullptr && is_other(*member) &&
                std::ranges::find(members, *member) == members.end())
                members.push_back(*member);
        return members;
    }();
    return all;
}

/// Calls `visit` with each text of the description, in a fixed order.
template <typename Description, typename Visit>
void for_each_text(Description& description, Visit visit) {
    for (const TextField& field : text_fields)
        visit(description.*field.slurm);
    for (const TextDetail& field : text_details)
        visit(description.*field.slurm);
    for (const auto member : other_texts)
        visit(description.*member);
    for (const auto member : texts_of_scripts())
        visit(description.*member);
}

/// How many words an array of the description has.
std::uint32_t count_words(const char* const* words, std::uint32_t count) {
    return words == nullptr || !is_count(count) ? 0 : count;
}

class Writer {
  public:
    template <typename T>
    void add(const T& value) {
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    /// Null is the length 0, an empty text is 1.
    void add_text(const char* text) {
        const std::uint64_t size = text == nullptr ? 0 : std::strlen(text) + 1;
        add(size);
        bytes_.append(text == nullptr ? "" : text, size);
    }
    void add_words(const char* const* words, std::uint32_t count) {
        add(count);
        for (std::uint32_t i = 0; i < count; ++i)
            add_text(words[i]);
    }
    std::string take() { return std::move(bytes_); }

  private:
    std::string bytes_;
};

/// After the first value that is not there, is_complete() is false and all values are zero.
class Reader {
  public:
    Reader(std::string_view bytes, std::deque<std::string>& texts) : bytes_(bytes), texts_(texts) {}

    template <typename T>
    T read() {
        T value{};
        if (const auto taken = take(sizeof value)) std::memcpy(&value, taken->data(), sizeof value);
        return value;
    }
    char* read_text() {
        const auto size = read<std::uint64_t>();
        const auto taken = take(size);
        if (size == 0 || !taken) return nullptr;
        return texts_.emplace_back(taken->substr(0, size - 1)).data();
    }
    std::vector<char*> read_words() {
        const auto count = read<std::uint32_t>();
        std::vector<char*> words;
        while (is_complete_ && words.size() < count)
            words.push_back(read_text());
        return words;
    }
    [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }
    [[nodiscard]] std::string_view rest() const noexcept { return bytes_; }

  private:
    std::optional<std::string_view> take(std::uint64_t size) {
        is_complete_ = is_complete_ && size <= bytes_.size();
        if (!is_complete_) return std::nullopt;
        const std::string_view taken = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
        return taken;
    }

    std::string_view bytes_;
    std::deque<std::string>& texts_;
    bool is_complete_ = true;
};

} // namespace

std::string pack_job_desc(const job_desc_msg_t& description) {
    Writer writer;
    writer.add(Header());
    writer.add(description);
    for_each_text(description, [&writer](const char* text) { writer.add_text(text); });
    writer.add_words(description.argv, count_words(description.argv, description.argc));
    writer.add_words(description.environment, count_words(description.environment, description.env_size));
    writer.add_words(description.spank_job_env,
                     count_words(description.spank_job_env, description.spank_job_env_size));
    return writer.take();
}

Result<JobDescCopy> JobDescCopy::unpack(std::string_view& bytes) {
    JobDescCopy copy;
    Reader reader(bytes, copy.texts_);
    const auto header = reader.read<Header>();
    if (!reader.is_complete() || header.magic != Header().magic)
        return Error{ErrorCode::internal, "a job description did not arrive"};
    if (header != Header())
        return Error{ErrorCode::unsupported,
                     "the libslurm of sbatch is of another release than that of qosgate: install both of the "
                     "same release"};
    job_desc_msg_t& description = copy.description_;
    description = reader.read<job_desc_msg_t>();
    for_each_text(description, [&reader](char*& text) { text = reader.read_text(); });
    copy.arguments_ = reader.read_words();
    copy.environment_ = reader.read_words();
    copy.spank_environment_ = reader.read_words();
    if (!reader.is_complete()) return Error{ErrorCode::internal, "a job description arrived in part"};
    copy.set_words();
    bytes = reader.rest();
    return copy;
}

JobDescCopy JobDescCopy::of(const job_desc_msg_t& description) {
    JobDescCopy copy;
    const auto add = [&copy](char* text) {
        return text == nullptr ? nullptr : copy.texts_.emplace_back(text).data();
    };
    const auto add_words = [&add](const char* const* words, std::uint32_t count) {
        std::vector<char*> copied(count_words(words, count));
        std::transform(words, words + copied.size(), copied.begin(),
                       [&add](const char* word) { return add(const_cast<char*>(word)); });
        return copied;
    };
    copy.description_ = description;
    for_each_text(copy.description_, [&add](char*& text) { text = add(text); });
    copy.arguments_ = add_words(description.argv, description.argc);
    copy.environment_ = add_words(description.environment, description.env_size);
    copy.spank_environment_ = add_words(description.spank_job_env, description.spank_job_env_size);
    copy.set_words();
    return copy;
}

bool JobDescCopy::takes_at_most(std::size_t max_bytes, const job_desc_msg_t& description) noexcept {
    std::size_t left = max_bytes;
    bool fits = true;
    const auto take = [&](const char* text) {
        const std::size_t size = sizeof(std::string) + (text == nullptr ? 0 : strnlen(text, left));
        fits = fits && size <= left;
        left -= std::min(size, left);
    };
    const auto take_words = [&](const char* const* words, std::uint32_t count) {
        const std::span all(words, count_words(words, count));
        for (auto word = all.begin(); fits && word != all.end(); ++word)
            take(*word);
    };
    for_each_text(description, [&](const char* text) {
        if (fits && text != nullptr) take(text);
    });
    take_words(description.argv, description.argc);
    take_words(description.environment, description.env_size);
    take_words(description.spank_job_env, description.spank_job_env_size);
    return fits;
}

void JobDescCopy::set_words() {
    description_.argv = arguments_.data();
    description_.argc = static_cast<std::uint32_t>(arguments_.size());
    description_.env_size = static_cast<std::uint32_t>(environment_.size());
    if (!environment_.empty()) environment_.push_back(nullptr);
    description_.environment = environment_.empty() ? nullptr : environment_.data();
    description_.spank_job_env = spank_environment_.data();
    description_.spank_job_env_size = static_cast<std::uint32_t>(spank_environment_.size());
}

model::JobRequest JobDescCopy::request(std::uint32_t submit_uid) const {
    return read_job_desc(description_, submit_uid);
}

void JobDescCopy::assign(char*& text, const std::optional<std::string>& value) {
    if (value) {
        const std::size_t size = sizeof(std::string) + value->size();
        if (size > max_written - written_) throw std::length_error("more than 16 MiB are written into a job");
        written_ += size;
    }
    text = value ? texts_.emplace_back(*value).data() : nullptr;
}

void JobDescCopy::add_variable(job_desc_msg_t& job) {
    environment_.insert(environment_.begin(), nullptr);
    job.environment = environment_.data();
    ++job.env_size;
}

std::string_view JobDescCopy::clusters() const noexcept {
    return view_text(description_.clusters);
}

} // namespace qg::slurm
