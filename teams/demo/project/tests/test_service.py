import unittest

from auth.service import Service
from auth.store import Store


class ServiceTest(unittest.TestCase):
    def setUp(self):
        self.store = Store()
        self.service = Service(self.store)
        self.service.register("ali@example.com", "open sesame")

    def test_a_user_logs_in_however_the_address_is_written(self):
        self.assertTrue(self.service.login("Ali@Example.com", "open sesame"))

    def test_a_wrong_password_or_address_is_refused(self):
        self.assertFalse(self.service.login("ali@example.com", "open barley"))
        self.assertFalse(self.service.login("nobody@example.com", "open sesame"))

    def test_the_store_never_sees_the_password(self):
        self.assertNotIn("open sesame", self.store.secret_of("ali@example.com"))
