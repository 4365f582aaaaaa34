"""Small edits in the configuration files of other programs, which keep everything else there."""

from memdown.clientfiles.changes import Change, apply_change, plan_change

__all__ = ["Change", "apply_change", "plan_change"]
