"""One folder for each subject: its rules, its report, its page."""
