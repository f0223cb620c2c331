"""Importing this makes a device's primary context current; here it always is."""

from . import driver as _driver

_driver.init()
device = _driver.Device(_driver._device().index)
context = device.retain_primary_context()
