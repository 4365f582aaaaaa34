"""Small edits in the configuration files of other programs, which keep everything else there."""

from memdown.agent.client_files.changes import Change, apply_change, as_it_was, plan_change

__all__ = ["Change", "apply_change", "as_it_was", "plan_change"]
