"""Trees that were cut off or garbled: guards are lost, and nothing else happens."""

import dataclasses
import functools
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.features.guards.next import next_changes
from inspector.features.guards.predict import frame_guards
from inspector.run.compilation import Frame
from inspector.run.sources.recording import opened, read_run
from inspector.trace.payload import Payload

TRACE = Path(__file__).parents[2] / "data" / "guards" / "torch_2_13.log"
SIGNS = "()[]{}'\"|+-=:,.# \n\0\u202eL<>"


@functools.cache
def recorded() -> tuple[Frame, tuple[str, ...]]:
    """The frame of a trace, and the trees of its compilations."""
    with opened(TRACE) as recording:
        frame = read_run(recording).processes[0].frames[0]
        texts = [item.guards_text.text() for item in frame.compilations if item.guards_text]
    return frame, tuple(texts)


def with_trees(*texts: str) -> Frame:
    frame, _ = recorded()
    payloads = [Payload("", 0, 0, held=b"\t" + text.encode().replace(b"\n", b"\n\t"))
                for text in texts]  # fmt: skip
    compilations = tuple(
        dataclasses.replace(item, guards_text=payload)
        for item, payload in zip(frame.compilations, payloads, strict=True)
    )
    return dataclasses.replace(frame, compilations=compilations)


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_a_garbled_tree_is_read_and_foretold(data: st.DataObject) -> None:
    _, trees = recorded()
    texts = []
    for tree in trees:
        changes = data.draw(
            st.lists(st.tuples(st.integers(0, len(tree) - 1), st.sampled_from(SIGNS)), max_size=30)
        )
        letters = list(tree[: data.draw(st.integers(0, len(tree)))])
        for at, sign in changes:
            letters[at : at + 1] = [sign] if at < len(letters) else []
        texts.append("".join(letters))
    guards = frame_guards(with_trees(*texts))
    if guards is not None:
        assert all(item.text for item in next_changes(guards))


def test_thousands_of_guards_are_foretold_one_by_one() -> None:
    """Each change looks at its own guards alone: 3 trees of 3,000 modules."""
    module = "L['self']._modules['l{0}']"
    leaf = "  # x = l(x)  # dir/model.py:{0} in forward\n"
    lines = (
        f"| +- GuardManager: source={module}, accessed_by=DictGetItemGuardAccessor('l{{0}}'), "
        "type=<class 'm.L'>, tag_safe=(False, False)\n"
        f"| | +- TYPE_MATCH: ___check_type_id({module}, 9), type=<class 'm.L'>{leaf}"
        f"| | +- GuardManager: source={module}.idx, accessed_by=GetAttrGuardAccessor(idx), "
        "type=<class 'int'>, tag_safe=(False, False)\n"
        f"| | | +- EQUALS_MATCH: {module}.idx == {{0}}{leaf}"
    )
    text = "TREE_GUARD_MANAGER:\n+- RootGuardManager\n" + "".join(
        lines.format(number) for number in range(3000)
    )
    guards = frame_guards(with_trees(text, text, text))
    assert guards is not None
    concerned = [len(list(index.of("L['self']._modules['l7'].idx"))) for index in guards.indexes]
    assert concerned == [1, 1, 1]
    (found,) = (item for item in next_changes(guards) if item.source.endswith(".idx"))
    assert found.more == 2999
