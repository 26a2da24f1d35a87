# SPDX-License-Identifier: GPL-2.0-or-later
"""Many associations at once: written into slurmdbd's database, because sacctmgr takes ten minutes for 20,000."""

from __future__ import annotations

import time
from collections.abc import Iterator

from qosgate_dev.cluster.config import DATABASE
from qosgate_dev.cluster.slurm_conf import DEFAULT_CLUSTER_NAME
from qosgate_dev.testing import Cluster

_USERS_PER_ACCOUNT = 19
_ACCOUNTS_PER_USER = 2
_ACCOUNTS_PER_FACULTY = 25
_ROWS_PER_STATEMENT = 150  # the longest statement of an init file has 20,000 bytes


def add_many(cluster: Cluster, count: int) -> None:
    """Adds about `count` associations, three levels below the root, to a cluster that has no accounts.

    The accounts are group1, group2, … Errors: ClusterFailed.
    """
    cluster.stop("slurmctld", "slurmdbd", "mariadbd")
    init = cluster.layout.mariadb_init
    plain = init.read_text()
    init.write_text(plain + "".join(f"{statement};\n" for statement in _statements(count)))
    try:
        cluster.start()
    finally:
        init.write_text(plain)


def _statements(count: int) -> Iterator[str]:
    """SQL that makes the accounts, the users and the nested sets of their associations."""
    now = int(time.time())
    accounts = max(1, count // (_USERS_PER_ACCOUNT + 1))
    users = max(_USERS_PER_ACCOUNT, accounts * _USERS_PER_ACCOUNT // _ACCOUNTS_PER_USER)
    names: list[str] = []
    rows: list[str] = []
    edge = 10_000_000  # right of what slurmdbd has made

    def add(user: str, account: str, parent: str, left: int, right: int, is_default: bool) -> None:
        rows.append(
            f"({now},{now},{int(is_default)},'{user}','{account}','{parent}',{left},{right})"
        )

    for number in range(1, accounts + 1):
        account, faculty = f"group{number}", f"faculty{(number - 1) // _ACCOUNTS_PER_FACULTY + 1}"
        if faculty not in names:
            names.append(faculty)
            in_faculty = min(_ACCOUNTS_PER_FACULTY, accounts - number + 1)
            width = 2 + in_faculty * (2 + 2 * _USERS_PER_ACCOUNT)
            add("", faculty, "root", edge, edge + width - 1, False)
            edge += 1
        names.append(account)
        add("", account, faculty, edge, edge + 1 + 2 * _USERS_PER_ACCOUNT, False)
        edge += 1
        for place in range(_USERS_PER_ACCOUNT):
            index = (number - 1) * _USERS_PER_ACCOUNT + place
            add(f"user{index % users + 1}", account, "", edge, edge + 1, index < users)
            edge += 2
        edge += 1 + (number % _ACCOUNTS_PER_FACULTY == 0 or number == accounts)
    associations = f"{DATABASE}.{DEFAULT_CLUSTER_NAME}_assoc_table"
    yield f"UPDATE {associations} SET rgt={edge} WHERE acct='root' AND user=''"
    columns = "(creation_time,mod_time,is_def,user,acct,parent_acct,lft,rgt)"
    yield from _inserts(f"{associations} {columns}", rows)
    yield from _inserts(
        f"{DATABASE}.acct_table (creation_time,mod_time,name,description,organization)",
        [f"({now},{now},'{name}','{name}','{name}')" for name in names],
    )
    yield from _inserts(
        f"{DATABASE}.user_table (creation_time,mod_time,name)",
        [f"({now},{now},'user{number}')" for number in range(1, users + 1)],
    )


def _inserts(table: str, rows: list[str]) -> Iterator[str]:
    for begin in range(0, len(rows), _ROWS_PER_STATEMENT):
        yield f"INSERT INTO {table} VALUES {','.join(rows[begin : begin + _ROWS_PER_STATEMENT])}"
