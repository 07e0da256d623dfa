"""A process of `inspect bench`: one combination, called when it is asked to."""
