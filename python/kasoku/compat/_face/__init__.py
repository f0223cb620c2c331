"""What the faces of tensors share: tables of functions, and what is said of arguments."""
