"""What each pass of Inductor's over a graph of torch.fx changed in it."""

from inspector.records.record import Record, artifact, doc, part


@part
class PassNode:
    """A node that a pass added, removed or changed."""

    name: str = ""
    target: str = doc("called function or attribute", default="")
    arguments: str = doc("as torch prints them", default="")
    stack: int | None = doc("index in the record's stacks", default=None)


@part
class PassEdit:
    """A node with another target or other arguments than before."""

    before: PassNode = PassNode()
    after: PassNode = PassNode()


@part
class PassChange:
    """What one pass changed."""

    name: str = doc(
        "torch's names of the nested passes, outermost first; empty for changes between passes"
    )
    added: tuple[PassNode, ...] = ()
    removed: tuple[PassNode, ...] = ()
    changed: tuple[PassEdit, ...] = ()
    is_reordered: bool = doc("whether the remaining nodes are in a different order", default=False)


@artifact("passes", stays=True)
class PassChanges(Record):
    """The passes that ended since the last record, behind torch's text of their result."""

    passes: tuple[PassChange, ...] = doc("passes that changed something, in order", default=())
    unchanged: int = doc("number of passes that changed nothing", default=0)
    stacks: tuple[str, ...] = doc("stack traces of nodes, as Python prints them", default=())
