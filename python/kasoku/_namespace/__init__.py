"""Functions of `ks` that are compositions of the engine's operations, a family a file. Nothing here loops over elements,
and nothing leaves the device; kasoku/__init__.py has the table of names and imports a file when a name of it is asked for."""
