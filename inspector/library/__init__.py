"""What a program calls: `inspector.record`, `inspector.explain`, and the backend "inspector".

It stands where the command line stands: above recordings, features and renderers, which it joins.
"""
