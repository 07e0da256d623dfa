"""Begins and ends the recording of this process."""

import dataclasses
from pathlib import Path

from inspector.capture.log.process_log import ProcessLog
from inspector.capture.recording.handler import TraceHandler, attached_handler


@dataclasses.dataclass(frozen=True, slots=True)
class Attachment:
    """A recording that this process writes to: what takes the records, and what writes them."""

    handler: TraceHandler
    log: ProcessLog

    def detach(self) -> None:
        """Ends it; what was observed for this recording alone is left as it was found."""
        self.handler.remove(self.log)


def attach(folder: Path, project: str | None, max_bytes: int | None = None) -> Attachment:
    """Begins to write this process's trace into a recording, see `ProcessLog`."""
    attachment = Attachment(attached_handler(), ProcessLog(folder, project, max_bytes))
    attachment.handler.add(attachment.log)
    return attachment
