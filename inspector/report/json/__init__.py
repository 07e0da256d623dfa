"""Reports as JSON: views of their types, and the schema of those."""
