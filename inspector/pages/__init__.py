"""Report → page: what a report says to people, as blocks that every renderer knows."""
