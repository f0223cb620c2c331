"""The common parts of faces with tensors: tables of functions, and error messages about arguments."""
