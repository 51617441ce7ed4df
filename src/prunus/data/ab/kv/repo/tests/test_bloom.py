import unittest

from kv.bloom import Bloom


class BloomTest(unittest.TestCase):
    def test_no_key_is_forgotten(self):
        bloom = Bloom.sized(500)
        keys = [f"key-{n}".encode() for n in range(500)]
        for key in keys:
            bloom.add(key)
        again, _ = Bloom.load(bloom.dump())
        self.assertTrue(all(key in bloom and key in again for key in keys))

    def test_other_keys_are_rarely_known(self):
        bloom = Bloom.sized(500, 0.01)
        for n in range(500):
            bloom.add(f"key-{n}".encode())
        wrong = sum(f"other-{n}".encode() in bloom for n in range(2000))
        self.assertLess(wrong, 60)
        self.assertNotIn(b"x", Bloom.sized(0))

    def test_sizes(self):
        self.assertEqual((Bloom.sized(1000, 0.01).bits, Bloom.sized(1000, 0.01).hashes), (9586, 7))
