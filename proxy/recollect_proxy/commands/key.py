"""`recollect key`: makes keys, for people, for integrations and for further administrators. It keeps none."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from recollect.settings.engine_settings import NOWHERE
from recollect_proxy.settings.command_settings import UNUSED_UPSTREAM, read_settings
from recollect_proxy.store_commands.options_of_commands import project_named

_User: TypeAlias = Annotated[
    str | None, typer.Argument(help="The user's id, as the memory API knows it: a key of their own.")
]
_Acting: TypeAlias = Annotated[
    str | None, typer.Option(help="Instead: a key with which an integration acts for users.", metavar="NAME")
]
_Reader: TypeAlias = Annotated[
    str | None, typer.Option(help="Instead: a key for an administrator who only reads.", metavar="NAME")
]
_Admin: TypeAlias = Annotated[
    str | None, typer.Option(help="Instead: a key for a further administrator.", metavar="NAME")
]
_Networks: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="From where such a key may be sent, as 10.0.0.0/8; more than once for several. It is the address that the connection "
        "comes from: behind a load balancer that is the load balancer's."
    ),
]
_Users: TypeAlias = Annotated[
    str, typer.Option(help="With --acting: how the ids of users begin for whom it may act.", metavar="PREFIX")
]
_Project: TypeAlias = Annotated[
    str,
    typer.Option(
        help="For a user, or with --acting: the one project that the key is for, as boat, team:family or agent:coder. It reaches no "
        "other, and nothing that concerns the user as a whole.",
        metavar="NAME",
        callback=project_named,
    ),
]
_File: TypeAlias = Annotated[
    Path | None, typer.Option(help="The file of keys; by itself, api-keys or access-keys of the data folder.")
]


def key(
    user: _User = None,
    acting: _Acting = None,
    reader: _Reader = None,
    admin: _Admin = None,
    network: _Networks = None,
    users: _Users = "",
    project: _Project = "",
    file: _File = None,
) -> None:
    """Make a key: printed once, kept as a hash.

    A user's own key names them in chats (identity api-key); the others are for the memory API. Each counts at once; to
    take one back, delete its line in the file: it stops with the next request. Every proxy has a file in its own data
    folder: change it in each.
    """
    from recollect_proxy.access.access_keys import KeyRole, add_access_key
    from recollect_proxy.identity.api_key import add_key

    named = {KeyRole.ACTING: acting, KeyRole.READER: reader, KeyRole.ADMIN: admin}
    given = [(role, name) for role, name in named.items() if name is not None]
    if len(given) + (user is not None) != 1:
        raise typer.BadParameter("name a user, or one of --acting, --reader, --admin")
    if user is not None:
        if network or users:
            raise typer.BadParameter("--network and --users are for keys of the memory API")
        typer.echo(add_key(file or _file(is_for_person=True), user, project))
        return
    [(role, name)] = given
    path = file or _file(is_for_person=False)
    typer.echo(add_access_key(path, role, name, networks=network or (), users=users, project=project))


def _file(*, is_for_person: bool) -> Path:
    """Return the file of keys in the data folder, which is made if need be."""
    settings = read_settings(upstream=UNUSED_UPSTREAM)
    if settings.data_dir == NOWHERE:
        raise typer.BadParameter("a data folder that keeps nothing keeps no key", param_hint="--file")
    file = settings.api_key_file if is_for_person else settings.access_key_file
    file.parent.mkdir(parents=True, exist_ok=True)
    return file
