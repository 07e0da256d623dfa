"""Where envelopes come from: a log, a folder of logs, a recording, a child that is running."""
