"""Runs jobs that are due."""

from datetime import timedelta

from cron.backoff import Backoff
from cron.history import History, Run
from cron.locks import Locks
from cron.queue import Queue


class Job:
    """Something to do: once, or by a schedule."""

    def __init__(self, name, action, schedule=None, backoff=None, priority=0, lock=None):
        self.name, self.action, self.schedule = name, action, schedule
        self.backoff = backoff or Backoff(attempts=1)
        self.priority, self.lock = priority, lock
        self.failures = 0


class Worker:
    """Runs jobs; `took` says how long an action takes, in seconds."""

    def __init__(self, took=lambda job: 0.0):
        self.queue = Queue()
        self.history = History()
        self.locks = Locks()
        self.jobs = {}
        self.dead = []
        self._took = took

    def add(self, job, now, when=None):
        """Add a job: at a time, or at the next time of its schedule, or now."""
        if job.name in self.jobs:
            raise ValueError(f"{job.name} is there already")
        self.jobs[job.name] = job
        if when is None:
            when = job.schedule.after(now) if job.schedule else now
        self.queue.put(job.name, when, job.priority)

    def remove(self, name):
        """Forget a job."""
        self.queue.cancel(name)
        return self.jobs.pop(name, None) is not None

    def round(self, now):
        """Run all that is due, each job once. Return the names in the order in which they ran."""
        ran, waiting = [], []
        taken = set()
        while (name := self.queue.pop_due(now)) is not None:
            job = self.jobs[name]
            if job.lock is not None and (job.lock in taken or not self._lock(job, now)):
                waiting.append(job)
                continue
            waiting += self._run(job, now)
            ran.append(name)
        for job in waiting:
            self._again(job, now, ran)
        return ran

    def _lock(self, job, now):
        return self.locks.take(job.lock, job.name, now, 60)

    def _run(self, job, now):
        """Run a job once. Return it in a list if it has to be put in again."""
        seconds = self._took(job)
        try:
            job.action(now)
        except Exception as error:
            job.failures += 1
            self.history.add(Run(job.name, now, seconds, str(error)))
            if job.backoff.delay(job.failures) is None and job.schedule is None:
                self._die(job)
                return []
        else:
            self.history.add(Run(job.name, now, seconds))
            if job.schedule is None:
                del self.jobs[job.name]
        finally:
            if job.lock is not None:
                self.locks.release(job.lock, job.name)
        return [job] if job.name in self.jobs else []

    def _again(self, job, now, ran):
        """Put a job in again: behind its lock soon, after a failure later, otherwise at its next time."""
        if job.name not in ran:
            self.queue.put(job.name, now + timedelta(seconds=1), job.priority)
            return
        delay = job.backoff.delay(job.failures) if job.failures else None
        if delay is not None:
            self.queue.put(job.name, now + timedelta(seconds=delay), job.priority)
            return
        # The next time from now on, not from when the job was due: what was missed is not caught up.
        job.failures = 0
        self.queue.put(job.name, now + timedelta(minutes=10), job.priority)

    def _die(self, job):
        self.dead.append(job.name)
        del self.jobs[job.name]
