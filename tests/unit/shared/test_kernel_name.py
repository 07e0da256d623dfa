"""Which kernel a part of a name means."""

from inspector.shared.near_matches import named

NAMES = ("triton_poi_fused_add_1", "triton_poi_fused_add_10", "extern_kernels.mm", "cpp_fused_0")


def test_a_whole_name_is_one_even_if_others_begin_so() -> None:
    assert named("triton_poi_fused_add_1", NAMES) == ("triton_poi_fused_add_1",)


def test_the_beginning_counts_before_what_is_within() -> None:
    assert named("cpp", NAMES) == ("cpp_fused_0",)
    assert named("triton", NAMES) == NAMES[:2]
    assert named("mm", NAMES) == ("extern_kernels.mm",)
    assert named("fused", NAMES) == (*NAMES[:2], "cpp_fused_0")
