"""Generated programs, call histories and single changes, to check what is predicted of them."""
