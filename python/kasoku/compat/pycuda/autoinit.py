"""Importing this makes a device ready; here every device always is."""

from . import driver as _driver

_driver.init()
device = _driver.Device(_driver._device().index)
context = device.make_context()
