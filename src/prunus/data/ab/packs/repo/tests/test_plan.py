import unittest

from packs.plan import plan, risky
from packs.resolver import Resolver
from tests.store import ranges, registry


class PlanTest(unittest.TestCase):
    def steps(self, before, after):
        made = registry()
        installed = Resolver(made).resolve(ranges(**before))
        wanted = Resolver(made).resolve(ranges(**after))
        return plan(made, installed, wanted)

    def test_installing_dependencies_first(self):
        self.assertEqual([repr(s) for s in self.steps({}, {"http": "^2"})], ["install log 1.2.5", "install zip 3.1.0", "install http 2.0.0"])

    def test_removing_dependents_first(self):
        self.assertEqual([repr(s) for s in self.steps({"web": "^2"}, {"log": "1.2.5"})], ["remove web 2.0.0", "remove http 2.0.0", "remove zip 3.1.0"])

    def test_upgrades_and_downgrades(self):
        steps = self.steps({"web": "^1"}, {"web": "^2"})
        self.assertEqual([repr(s) for s in steps], ["downgrade log 1.3.0 -> 1.2.5", "install zip 3.1.0", "upgrade http 1.10.0 -> 2.0.0", "upgrade web 1.0.0 -> 2.0.0"])
        self.assertEqual([s.name for s in risky(steps)], ["log", "http", "web"])

    def test_minor_upgrades_are_not_risky(self):
        steps = self.steps({"log": "1.0.0"}, {"log": "1.3.0"})
        self.assertEqual(risky(steps), [])
        self.assertEqual(len(risky(self.steps({"auth": "0.2.0"}, {"auth": "0.3.0"}))), 3)
