// SPDX-License-Identifier: GPL-2.0-or-later
//
// The functions of qosgate.h. Each one is a frame around a call of the C++ library: it lets no exception out,
// and turns results into texts.
#include "qosgate/admin/apply.hpp"
#include "qosgate/admin/c_requests.hpp"
#include "qosgate/admin/qosgate.h"
#include "qosgate/admin/uses.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/spec/drift.hpp"
#include "qosgate/spec/plan_json.hpp"
#include "qosgate/spec/record_json.hpp"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include <dlfcn.h>

struct qosgate_session {
    std::unique_ptr<qg::admin::Client> client;
};

namespace {

using namespace qg;
using admin::Client;
using spec::Json;

static_assert(static_cast<int>(ErrorCode::invalid_input) + 1 == QOSGATE_INVALID_INPUT);
static_assert(static_cast<int>(ErrorCode::unavailable) + 1 == QOSGATE_UNAVAILABLE);
static_assert(static_cast<int>(ErrorCode::internal) + 1 == QOSGATE_INTERNAL);

/// libslurm may be used by one thread at a time, and there is one session.
std::mutex& one_call() {
    static std::mutex mutex;
    return mutex;
}

bool is_open = false; // under one_call()

/// A copy for the caller. Null without memory: a caller that ignores texts still has the status.
void put(char** answer, std::string_view text) noexcept {
    if (answer == nullptr) return;
    *answer = static_cast<char*>(std::malloc(text.size() + 1));
    if (*answer == nullptr) return;
    std::memcpy(*answer, text.data(), text.size());
    (*answer)[text.size()] = '\0';
}

/// Runs `call`, which returns a Result<std::string>: the answer.
template <typename Call>
int framed(char** answer, Call call) noexcept {
    if (answer != nullptr) *answer = nullptr;
    try {
        const std::scoped_lock lock(one_call());
        const Result<std::string> done = call();
        put(answer, done ? *done : done.error().message);
        return done ? QOSGATE_OK : static_cast<int>(done.error().code) + 1;
    } catch (const std::exception& failure) {
        put(answer, failure.what());
    } catch (...) {
        put(answer, "an unknown exception");
    }
    return QOSGATE_INTERNAL;
}

/// The same for a call that needs a session and a text.
template <typename Call>
int framed(qosgate_session* session, const char* text, char** answer, Call call) noexcept {
    return framed(answer, [&]() -> Result<std::string> {
        if (session == nullptr) return Error{ErrorCode::invalid_input, "no session"};
        if (text == nullptr) return Error{ErrorCode::invalid_input, "no request"};
        return call(*session->client, std::string_view(text));
    });
}

std::string to_text(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json records_of(std::span<const model::QosRecord> records) {
    Json list = Json::array();
    for (const model::QosRecord& record : records)
        list.push_back(spec::record_to_json(record));
    return list;
}

/// Slurm's plugins look names up in what the program shows to all of its libraries. A program in a language
/// like Python shows them neither libslurm nor the names of lazy_symbols.cpp; so both are shown here.
void show_to_plugins(const void* function) {
    Dl_info place{};
    if (dladdr(function, &place) == 0 || place.dli_fname == nullptr) return;
    // The handle stays open: the plugins do, too.
    static_cast<void>(dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL | RTLD_NODELETE));
}

struct PlanOfFiles {
    spec::Plan plan;
    spec::LiveState live;
};

/// The plan for the files of a request.
Result<PlanOfFiles> plan_of(Client& client, const admin::SpecRequest& request,
                            const spec::PlanOptions& options) {
    const spec::Loaded loaded = spec::load(request.files, &client.tres());
    if (!loaded.problems.empty()) return Error{ErrorCode::invalid_input, spec::to_text(loaded.problems)};
    auto live = admin::read_live(client.connection());
    if (!live) return live.error();
    spec::Planned planned = spec::make_plan(loaded.desired, *live, options);
    if (!planned.problems.empty())
        return Error{planned.lacks_permission ? ErrorCode::permission_denied : ErrorCode::invalid_input,
                     spec::to_text(planned.problems)};
    if (planned.conflicts.empty()) return PlanOfFiles{std::move(planned.plan), *std::move(live)};
    std::vector<std::string> lines;
    for (const spec::Conflict& conflict : planned.conflicts)
        lines.push_back(text::format("QOS {}{}{}: managed by {}, and {} wants it",
                                     text::printable(conflict.qos), conflict.field.empty() ? "" : ": ",
                                     conflict.field, text::printable(conflict.managed_by),
                                     text::printable(conflict.wanted_by)));
    return Error{ErrorCode::conflict, text::join(lines, "\n")};
}

Json to_json(const spec::Drift& drift) {
    Json fields = Json::array();
    for (const spec::DriftedField& one : drift.fields)
        fields.push_back({{"qos", one.qos},
                          {"field", one.field},
                          {"wanted", one.wanted},
                          {"live", one.live},
                          {"is_managed", one.is_managed}});
    Json access = Json::array();
    for (const spec::AccessSummary& one : drift.access)
        access.push_back(one.qos);
    return {{"drifted", drift.found()},   {"fields", fields}, {"missing", drift.missing},
            {"leftover", drift.leftover}, {"access", access}, {"managed_access", drift.managed_access}};
}

} // namespace

int qosgate_open(unsigned seconds, qosgate_session** session, char** answer) {
    return framed(answer, [&]() -> Result<std::string> {
        if (session == nullptr) return Error{ErrorCode::invalid_input, "no place for the session"};
        *session = nullptr;
        if (seconds == 0) return Error{ErrorCode::invalid_input, "a time limit of 0 seconds"};
        if (is_open) return Error{ErrorCode::conflict, "this process has a session already"};
        show_to_plugins(reinterpret_cast<const void*>(&slurm_init));
        show_to_plugins(reinterpret_cast<const void*>(&qosgate_open));
        auto client = Client::open(std::chrono::seconds(seconds));
        if (!client) return client.error();
        *session = new qosgate_session{std::move(*client)};
        is_open = true;
        return std::string("{}");
    });
}

int qosgate_reconnect(qosgate_session* session, char** answer) {
    return framed(session, "", answer, [](Client& client, std::string_view) -> Result<std::string> {
        if (const auto done = client.reconnect(); !done) return done.error();
        return std::string("{}");
    });
}

int qosgate_qos_list(qosgate_session* session, const char* options, char** answer) {
    return framed(session, options == nullptr ? "" : options, answer,
                  [](Client& client, std::string_view text) -> Result<std::string> {
                      const auto wanted = admin::read_list_options(text);
                      if (!wanted) return wanted.error();
                      const auto page = admin::QosManager(client).list(*wanted);
                      if (!page) return page.error();
                      return to_text({{"qos", records_of(page->records)}, {"total", page->total}});
                  });
}

int qosgate_qos_get(qosgate_session* session, const char* name, char** answer) {
    return framed(session, name, answer, [](Client& client, std::string_view text) -> Result<std::string> {
        const auto record = admin::QosManager(client).get(text);
        if (!record) return record.error();
        return to_text(spec::record_to_json(*record));
    });
}

int qosgate_qos_create(qosgate_session* session, const char* request, char** answer) {
    return framed(session, request, answer, [](Client& client, std::string_view text) -> Result<std::string> {
        const auto wanted = admin::read_change(text, client.tres());
        if (!wanted) return wanted.error();
        std::vector<model::QosRecord> records;
        for (const std::string& name : wanted->names) {
            model::QosRecord fresh;
            fresh.name = text::lower(name);
            fresh.description = name; // as sacctmgr does
            records.push_back(wanted->change.apply_to(fresh));
        }
        if (const auto done = admin::QosManager(client).create(records); !done) return done.error();
        return to_text({{"qos", records_of(records)}});
    });
}

int qosgate_qos_update(qosgate_session* session, const char* request, char** answer) {
    return framed(session, request, answer, [](Client& client, std::string_view text) -> Result<std::string> {
        const auto wanted = admin::read_change(text, client.tres());
        if (!wanted) return wanted.error();
        const auto records = admin::QosManager(client).update(wanted->names, wanted->change);
        if (!records) return records.error();
        return to_text({{"qos", records_of(*records)}});
    });
}

int qosgate_qos_remove(qosgate_session* session, const char* request, char** answer) {
    return framed(session, request, answer, [](Client& client, std::string_view text) -> Result<std::string> {
        const auto wanted = admin::read_removal(text);
        if (!wanted) return wanted.error();
        if (const auto done = admin::QosManager(client).remove(wanted->names, wanted->mode); !done)
            return done.error();
        return std::string("{}");
    });
}

int qosgate_associations(qosgate_session* session, char** answer) {
    return framed(session, "", answer, [](Client& client, std::string_view) -> Result<std::string> {
        const auto all = admin::AssociationManager(client).tree();
        if (!all) return all.error();
        Json list = Json::array();
        for (const model::AssociationRecord& one : *all)
            list.push_back(spec::association_to_json(one));
        return to_text({{"cluster", client.cluster()}, {"associations", list}});
    });
}

int qosgate_access_change(qosgate_session* session, const char* request, char** answer) {
    return framed(session, request, answer, [](Client& client, std::string_view text) -> Result<std::string> {
        const auto wanted = admin::read_access_change(text);
        if (!wanted) return wanted.error();
        const auto changed = admin::AssociationManager(client).change(wanted->holders, wanted->change);
        if (!changed) return changed.error();
        Json list = Json::array();
        for (const model::AccessChange& change : *changed)
            list.push_back(spec::change_to_json(change));
        return to_text({{"changed", list}});
    });
}

int qosgate_tres(qosgate_session* session, char** answer) {
    return framed(session, "", answer, [](Client& client, std::string_view) -> Result<std::string> {
        Json list = Json::array();
        for (const std::string& name : client.tres().names())
            list.push_back(name);
        return to_text(list);
    });
}

int qosgate_plan(qosgate_session* session, const char* specs, char** answer) {
    return framed(session, specs, answer, [](Client& client, std::string_view text) -> Result<std::string> {
        const auto request = admin::read_specs(text);
        if (!request) return request.error();
        const auto planned = plan_of(client, *request, request->options);
        if (!planned) return planned.error();
        return spec::plan_to_text(planned->plan);
    });
}

int qosgate_apply(qosgate_session* session, const char* plan, char** answer) {
    return framed(session, plan, answer, [](Client& client, std::string_view text) -> Result<std::string> {
        const auto read = spec::plan_from_text(text, client.cluster());
        if (!read) return read.error();
        const auto uses = admin::find_lasting_uses(client.connection(), client.store(), *read);
        if (!uses) return uses.error();
        if (const auto unused = admin::expect_no_use(*uses); !unused) return unused.error();
        const auto done = admin::apply(client.connection(), *read, [](slurmdb::CommitStep) {}, {});
        if (!done) return done.error();
        return to_text({{"created", read->created.size()},
                        {"updated", read->updated.size()},
                        {"removed", read->removed.size()},
                        {"access", read->access.size()}});
    });
}

int qosgate_drift(qosgate_session* session, const char* specs, char** answer) {
    return framed(session, specs, answer, [](Client& client, std::string_view text) -> Result<std::string> {
        const auto request = admin::read_specs(text);
        if (!request) return request.error();
        // What another owner took over has drifted, too.
        const auto planned = plan_of(client, *request, {.take_over = true, .prune = request->options.prune});
        if (!planned) return planned.error();
        return to_text(to_json(spec::find_drift(planned->plan, planned->live.qos)));
    });
}

const char* qosgate_status_name(int status) {
    if (status == QOSGATE_OK) return "ok";
    if (status < QOSGATE_INVALID_INPUT || status > QOSGATE_INTERNAL) return "unknown";
    return to_string(static_cast<ErrorCode>(status - 1)).data();
}

const char* qosgate_version(void) {
    return QG_VERSION;
}

void qosgate_free(char* answer) {
    std::free(answer);
}

void qosgate_close(qosgate_session* session) {
    if (session == nullptr) return;
    static_cast<void>(framed(nullptr, [&]() -> Result<std::string> {
        delete session;
        is_open = false;
        return std::string();
    }));
}
