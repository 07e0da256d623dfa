"""A click group that imports a command when it is called, and not before.

``inspect --help`` must answer at once, and importing rich costs 0.1 s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from inspector import plugins

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class LazyGroup(click.Group):
    """The commands of `plugins`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Shows the help where there is no command at all, as wrong use."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names of all commands, in the order of the table."""
        del ctx
        return list(plugins.command_table())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports one command; None if there is no such command."""
        if cmd_name not in self.commands:
            module = plugins.load_command(cmd_name)
            if module is None:
                return None
            self.add_command(cast("click.Command", module.command), cmd_name)
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command, or says which names look like the one that was typed."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            from inspector.shared.near_matches import suggestion

            names = plugins.command_table()
            hint = suggestion(name, names, f"There are {', '.join(names)}.")
            raise click.UsageError(f"There is no command {name!r}. {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list of commands from the table, without importing any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([*plugins.command_table().items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Completes names of commands from the table; click's own would import them all."""
        from click.shell_completion import CompletionItem

        names = [
            CompletionItem(name, help=text)
            for name, text in plugins.command_table().items()
            if name.startswith(incomplete)
        ]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]
