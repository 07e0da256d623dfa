"""Pages and reports as text: terminal, Markdown, JSON, HTML."""
