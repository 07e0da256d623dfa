"""What every report is made of: rules, findings, places, pages, JSON."""
