"""PyCUDA's interface on kasoku: the same programs, on a GPU if there is one, else on the CPU.

No nvcc, no toolkit and no current context are needed; any thread may call anything."""

VERSION = (2025, 1, 2)
VERSION_STATUS = ""
VERSION_TEXT = "2025.1.2"
