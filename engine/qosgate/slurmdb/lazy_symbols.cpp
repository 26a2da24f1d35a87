// SPDX-License-Identifier: GPL-2.0-or-later
//
// Slurm's accounting and munge plugins call functions that libslurm.so does not export, on their way to
// report a lost connection. In a program linked with libslurm the dynamic linker then ends the process
// ("undefined symbol", exit 127; slurm/README.md 4.2). The program exports these stand-ins instead; only log
// texts use their answers. Seen in 22.05, and unchanged in 24.11 and 26.05. To be removed once libslurm
// exports them.
#include <cstdint>

extern "C" {

[[gnu::visibility("default")]] char* slurmdbd_msg_type_2_str(int message_type, int get_enum);
[[gnu::visibility("default")]] char* rpc_num2string(std::uint16_t opcode);
[[gnu::visibility("default")]] char* uid_to_string_or_null(std::uint32_t uid);

char* slurmdbd_msg_type_2_str(int, int) {
    static char name[] = "a slurmdbd request";
    return name;
}

char* rpc_num2string(std::uint16_t) {
    static char name[] = "a Slurm request";
    return name;
}

/// Its callers expect null as a possible answer.
char* uid_to_string_or_null(std::uint32_t) {
    return nullptr;
}
}
