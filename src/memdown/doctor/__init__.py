"""Everything a user can have wrong, looked at in one go, each with what to do about it."""

from memdown.doctor.checks import Check, Subject, examine, mend

__all__ = ["Check", "Subject", "examine", "mend"]
