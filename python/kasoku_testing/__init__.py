"""What only the test suites of the packages that kasoku has faces of need: it stands beside kasoku in the source tree, and
no wheel carries it. The faces find it where it can be imported (`kasoku.compat.tests_of`)."""
