import unittest

from auth.store import DuplicateUser, Store


class StoreTest(unittest.TestCase):
    def test_addresses_differ_by_more_than_case_and_blanks(self):
        store = Store()
        store.add("Ali@example.com ", "secret")
        self.assertEqual(store.secret_of("ali@example.com"), "secret")

    def test_an_address_is_taken_once(self):
        store = Store()
        store.add("ali@example.com", "secret")
        with self.assertRaises(DuplicateUser):
            store.add("ALI@example.com", "other")

    def test_a_stranger_has_no_secret(self):
        self.assertIsNone(Store().secret_of("nobody@example.com"))
