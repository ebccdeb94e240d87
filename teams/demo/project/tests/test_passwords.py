import unittest

from auth.passwords import matches, protect


class PasswordsTest(unittest.TestCase):
    def test_the_password_is_not_stored(self):
        self.assertNotIn("open sesame", protect("open sesame"))

    def test_equal_passwords_are_stored_differently(self):
        self.assertNotEqual(protect("open sesame"), protect("open sesame"))

    def test_only_the_right_password_matches(self):
        stored = protect("open sesame")
        self.assertTrue(matches("open sesame", stored))
        self.assertFalse(matches("open barley", stored))
