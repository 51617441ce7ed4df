"""What ran."""

from collections import deque


class Run:
    """One attempt."""

    def __init__(self, job, started, seconds, error=None):
        self.job, self.started, self.seconds, self.error = job, started, seconds, error

    @property
    def ok(self):
        return self.error is None


class History:
    """The newest runs of each job."""

    def __init__(self, keep=100):
        self.keep = keep
        self._runs = {}

    def add(self, run):
        self._runs.setdefault(run.job, deque(maxlen=self.keep)).append(run)

    def of(self, job):
        """The runs of a job, the oldest first."""
        return list(self._runs.get(job, ()))

    def failures_in_a_row(self, job):
        """How many of the newest runs failed, up to the newest that did not."""
        count = 0
        for run in reversed(self._runs.get(job, ())):
            if not run.ok:
                count += 1
        return count

    def rate(self, job):
        """The share of runs that did not fail; None without a run."""
        runs = self.of(job)
        return sum(run.ok for run in runs) / len(runs) if runs else None

    def percentile(self, job, share):
        """The time within which this share of the successful runs ended; None without one."""
        times = sorted(run.seconds for run in self.of(job))
        if not times:
            return None
        at = max(0, -(-int(share * 100) * len(times) // 100) - 1)
        return times[min(at, len(times) - 1)]

    def last(self, job):
        """The newest run, or None."""
        runs = self._runs.get(job)
        return runs[-1] if runs else None
