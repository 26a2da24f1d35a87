// SPDX-License-Identifier: GPL-2.0-or-later
//
// A program outside the source tree that uses QOS records. It prints why no slurmdbd can be asked, and
// whether Slurm's plugins would find what they look up in the program (see
// engine/qosgate/slurmdb/lazy_symbols.cpp).
#include <qosgate/slurmdb/connection.hpp>

#include <dlfcn.h>

#include <iostream>

int main() {
    for (const char* name : {"slurmdbd_msg_type_2_str", "rpc_num2string", "uid_to_string_or_null"})
        std::cout << name << ": " << (dlsym(RTLD_DEFAULT, name) ? "found" : "missing") << '\n';

    const auto session = qg::slurmdb::Session::open(std::chrono::seconds(1));
    std::cout << (session ? "a session" : session.error().message) << '\n';
}
