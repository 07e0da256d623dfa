"""Graph breaks: rules, advice, failed compilations."""
