#!/usr/bin/python
# SPDX-License-Identifier: GPL-2.0-or-later
"""Ansible module: QOS records and who may use them as spec files say."""

from __future__ import annotations

import json

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
---
module: qosgate_spec
short_description: Plan and apply a spec of Slurm QOS records
description:
  - Makes the QOS records of slurmdbd, and the associations that may use them, what spec files say.
  - Runs C(qosgate spec plan) and, if there is something to do, C(qosgate spec apply) with that very plan. All
    of it is done in one transaction, or nothing.
  - The user on the managed host must be root, SlurmUser or an administrator of accounting.
options:
  path:
    description: Spec files, or directories of them, on the managed host.
    type: list
    elements: path
    required: true
  prune:
    description: Whether to remove QOSs that the owners of the files created and that no file names any more.
    type: bool
    default: false
  take_over:
    description: Whether fields that another owner manages are given to the files' owners.
    type: bool
    default: false
  timeout:
    description: Seconds that slurmdbd may take for one answer.
    type: int
    default: 60
  executable:
    description: The command to run.
    type: path
    default: qosgate
attributes:
  check_mode:
    description: Plans, and changes nothing.
    support: full
  diff_mode:
    description: Shows the plan.
    support: full
"""

EXAMPLES = r"""
- name: QOS records are those of the files
  qosgate_spec:
    path: /etc/slurm/qos.d

- name: What would change?
  qosgate_spec:
    path: /etc/slurm/qos.d
  check_mode: true
  diff: true
"""

RETURN = r"""
plan:
  description: The plan, as C(qosgate spec plan --json) writes it.
  returned: when the plan could be made
  type: dict
"""

# Exit statuses of `qosgate spec plan`.
NOTHING_TO_DO = 0
CHANGES = 2


class Qosgate:
    """Runs the command; a failure ends the module with what the command said."""

    def __init__(self, module: AnsibleModule) -> None:
        self._module = module
        self._program = [module.params["executable"], "spec"]
        self._timeout = ["--timeout", str(module.params["timeout"])]

    def run(self, verb: str, arguments: list[str], good: set[int]) -> tuple[int, str]:
        """The exit status, one of `good`, and what is on standard output."""
        command = [*self._program, verb, *self._timeout, *arguments]
        status, output, errors = self._module.run_command(command)
        if status not in good:
            message = errors.strip() or output.strip() or "no message"
            self._module.fail_json(msg=message, cmd=command, rc=status)
        return status, output


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "path": {"type": "list", "elements": "path", "required": True},
            "prune": {"type": "bool", "default": False},
            "take_over": {"type": "bool", "default": False},
            "timeout": {"type": "int", "default": 60},
            "executable": {"type": "path", "default": "qosgate"},
        },
        supports_check_mode=True,
    )
    qosgate = Qosgate(module)
    options = [f"--{name.replace('_', '-')}" for name in ("prune", "take_over") if module.params[name]]
    paths = ["--", *module.params["path"]]

    plan_file = module.tmpdir + "/plan.json"
    status, output = qosgate.run(
        "plan", ["--json", "--no-consequences", "--out", plan_file, *options, *paths], {NOTHING_TO_DO, CHANGES}
    )
    result = {"changed": status == CHANGES, "plan": json.loads(output)}
    if module._diff and result["changed"]:
        _, text = qosgate.run("plan", ["--no-consequences", *options, *paths], {NOTHING_TO_DO, CHANGES})
        result["diff"] = {"prepared": text}
    if result["changed"] and not module.check_mode:
        qosgate.run("apply", ["--yes", plan_file], {0})
    module.exit_json(**result)


if __name__ == "__main__":
    main()
