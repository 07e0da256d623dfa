"""Numbers as JSON."""

from inspector.features.numerics.report import FORMAT_VERSION, NumericsReport
from inspector.records.numerics import (
    ChangedOperator,
    Difference,
    Divergence,
    NotFinite,
    NumericError,
    Numerics,
)
from inspector.report.json.common import COMMON
from inspector.report.json.encode import View, Views, tool_version

VIEWS: Views = {
    **COMMON,
    NumericsReport: View(
        """format_version kind tool_version recording=run.meta:recording before differs inputs
        next_steps""",
        format_version=FORMAT_VERSION,
        kind="numerics",
        tool_version=tool_version,
    ),
    Numerics: View(
        "input results layers divergence in_dynamo not_finite uncompared changes differences"
    ),
    ChangedOperator: View("error module file=~file line code before after_added"),
    Difference: View("kind name before after"),
    NumericError: View("name kind absolute relative eager_relative is_off nan"),
    Divergence: View("operator file=~file line code at operators graph failure"),
    NotFinite: View("value is_eager operator file=~file line code"),
}
