"""What `inspect bench` measured, as rows that can be compared."""
