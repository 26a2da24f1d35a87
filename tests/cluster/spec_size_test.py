# SPDX-License-Identifier: GPL-2.0-or-later
"""Specs on a large cluster: 1,000 QOSs, 20,000 associations."""

from __future__ import annotations

import json
import unittest

from qosgate_dev.bench.accounts import add_many
from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import main

from spec_command_test import SpecTestCase

QOS = 1000
ASSOCIATIONS = 20_000


@unittest.skipIf(slurm_version() >= (23, 11), "the associations are written into tables as releases before 23.11 have them")
class LargeCluster(SpecTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        add_many(cls.cluster, ASSOCIATIONS)

    def write_spec(self, wall: int, *, with_access: bool = True) -> str:
        """Each account group<N> may use QOS large<N>."""
        qos: dict[str, dict] = {}
        for number in range(1, QOS + 1):
            accounts = [f"group{number}"] if with_access else []
            qos[f"large{number}"] = {"MaxWall": wall + number, "access": {"accounts": accounts, "complete": True}}
        return self.write("large.yaml", json.dumps({"owner": "large", "qos": qos}))

    def stored_count(self, entity: str, column: str, text: str) -> int:
        lines = self.cluster.sacctmgr(f"-nP show {entity} format={column}").stdout.splitlines()
        return sum(text in line for line in lines)

    def test_a_thousand_qos_and_twenty_thousand_associations(self) -> None:
        file = self.write_spec(60)
        planned = self.spec_json("plan", file, rc=2)
        self.assertEqual((len(planned["created"]), len(planned["granted"])), (QOS, QOS))

        shown = self.spec("apply", file, "--yes").stdout
        self.assertIn("Applied, verified.", shown)
        self.assertEqual(self.stored_count("qos", "name", "large"), QOS)
        # Each of the accounts, and its users, who inherit it.
        self.assertEqual(self.stored_count("assoc", "qos%100", "large"), ASSOCIATIONS)
        self.spec("plan", file, rc=0)
        self.spec("drift", file, rc=0)

        self.cluster.sacctmgr("modify qos large500 set maxwall=5")
        drift = self.spec_json("drift", file, rc=2)["drift"]
        self.assertEqual([(row["qos"], row["field"], row["is_managed"]) for row in drift], [("large500", "MaxWall", True)])

        less = self.write_spec(120, with_access=False)
        number = self.spec_json("apply", less, "--yes")["history"]
        self.assertEqual(self.stored_count("assoc", "qos%100", "large"), 0)
        self.assertEqual(self.stored("large1000", "maxwall"), "18:40:00")

        self.spec("rollback", str(number), "--yes")
        self.assertEqual(self.stored_count("assoc", "qos%100", "large"), ASSOCIATIONS)
        self.assertEqual((self.stored("large1000", "maxwall"), self.stored("large500", "maxwall")), ("17:40:00", "00:05:00"))


if __name__ == "__main__":
    main()
