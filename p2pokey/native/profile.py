"""Where a player's things are on this computer, and who the player is.

Folders follow the system's habits (platformdirs); P2POKEY_HOME puts everything below one folder,
for tests and for a portable installation. A guest has a fresh identity and leaves nothing behind but
a table that is not over yet.
"""

import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import platformdirs

from p2pokey.errors import DecodeError, JournalInUse
from p2pokey.native.files import PRIVATE, write_atomic
from p2pokey.native.identity import SECRET_BYTES, Ed25519Signer
from p2pokey.native.journal import take_lock
from p2pokey.ports import Entropy

HOME_VARIABLE = "P2POKEY_HOME"
_APP = "p2pokey"
_KEY_HEAD = "p2pokey-identity 0 "
_NAME_FILE = "name"
_GUESTS, _IN_USE = "p2pokey-guest-", "in-use"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dirs:
    """The folders; none of them has to exist yet."""

    config: Path
    """Settings."""
    data: Path
    """Identity key and saved hands."""
    state: Path
    """Journals and logs."""

    @property
    def contacts(self) -> Path:
        """Friends and their keys."""
        return self.data / "contacts.json"

    @property
    def hands(self) -> Path:
        """Saved transcripts."""
        return self.data / "hands"

    @property
    def journals(self) -> Path:
        """Journals of running hands."""
        return self.state / "journals"

    @property
    def logs(self) -> Path:
        """Log files."""
        return self.state / "log"


def find_dirs(environment: Mapping[str, str] = os.environ) -> Dirs:
    """This user's folders, or those below P2POKEY_HOME."""
    home = environment.get(HOME_VARIABLE)
    if home:
        root = Path(home)
        return Dirs(config=root / "config", data=root / "data", state=root / "state")
    return Dirs(
        config=Path(platformdirs.user_config_dir(_APP, appauthor=False)),
        data=Path(platformdirs.user_data_dir(_APP, appauthor=False)),
        state=Path(platformdirs.user_state_dir(_APP, appauthor=False)),
    )


def load_identity(dirs: Dirs, entropy: Entropy) -> Ed25519Signer:
    """The player's identity key, made and stored on first use.

    Raises:
        DecodeError: the file is damaged; it is never replaced silently.
        OSError: it cannot be read or written.
    """
    path = identity_path(dirs)
    if not path.exists():
        dirs.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        secret = entropy.random_bytes(SECRET_BYTES)
        write_atomic(path, _key_text(secret), mode=PRIVATE)
    text = path.read_bytes()
    if os.name == "posix" and path.stat().st_mode & 0o077:
        path.chmod(PRIVATE)
    return Ed25519Signer(_read_key(text, path))


def replace_identity(dirs: Dirs, secret: bytes) -> Path | None:
    """Stores another identity key; the old one is kept beside it under a name of its own.

    Returns:
        Where the old key is now, None if there was none.

    Raises:
        DecodeError: the old file is damaged: it is left as it is.
        OSError: it cannot be written.
    """
    path, kept = identity_path(dirs), None
    if path.exists():
        old = Ed25519Signer(_read_key(path.read_bytes(), path))
        kept = path.with_name(f"identity-{old.public_key.hex()[:16]}.key")
        write_atomic(kept, path.read_bytes(), mode=PRIVATE)
    dirs.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomic(path, _key_text(secret), mode=PRIVATE)
    return kept


def identity_path(dirs: Dirs) -> Path:
    """Where the player's identity key is."""
    return dirs.data / "identity.key"


def identity_secret(dirs: Dirs) -> bytes | None:
    """The stored 32-byte secret, None if there is none yet; errors as in `load_identity`."""
    path = identity_path(dirs)
    return _read_key(path.read_bytes(), path) if path.exists() else None


def known_keys(dirs: Dirs) -> tuple[bytes, ...]:
    """Public keys of the identities that were put aside, as far as their files can be read."""
    found = []
    for path in sorted(dirs.data.glob("identity-*.key")):
        with suppress(OSError, DecodeError):
            found.append(Ed25519Signer(_read_key(path.read_bytes(), path)).public_key)
    return tuple(found)


def load_name(dirs: Dirs) -> str | None:
    """The name that the player has chosen to keep, if any.

    Raises:
        DecodeError: the file is damaged. OSError: it cannot be read.
    """
    path = dirs.config / _NAME_FILE
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        name = text.decode("utf-8").removesuffix("\n")
    except UnicodeDecodeError:
        raise DecodeError(f"{path} holds no name: write one with p2pokey id name") from None
    return name


def save_name(dirs: Dirs, name: str) -> None:
    """Keeps the name for the next tables; raises OSError."""
    dirs.config.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomic(dirs.config / _NAME_FILE, f"{name}\n".encode())


def _key_text(secret: bytes) -> bytes:
    return f"{_KEY_HEAD}{secret.hex()}\n".encode("ascii")


def _read_key(text: bytes, path: Path) -> bytes:
    head = _KEY_HEAD.encode("ascii")
    try:
        secret = bytes.fromhex(text.removeprefix(head).strip().decode("ascii"))
    except ValueError:
        secret = b""
    if not text.startswith(head) or len(secret) != SECRET_BYTES:
        raise DecodeError(
            f"{path} is no identity key of this version: move it away to get a new one"
        )
    return secret


@dataclass(kw_only=True)
class Profile:
    """An identity and the folders that go with it; use it as a context manager."""

    dirs: Dirs
    signer: Ed25519Signer
    is_guest: bool
    tables: Path
    """Journals of tables, from which `p2pokey resume` comes back; a guest's are there, too, as long
    as the table is not over."""
    guest_secret: bytes | None = None
    """32-byte secret of a guest's key."""
    _temporary: Path | None = field(default=None)
    _lock: int | None = field(default=None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._lock is not None:
            os.close(self._lock)
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)


def open_profile(
    entropy: Entropy, *, guest: bool, environment: Mapping[str, str] = os.environ
) -> Profile:
    """The stored player, or a guest with a fresh key whose folders go away at the end.

    A guest's table is journalled like any other, with the key in it, until it is over.

    Raises:
        DecodeError, OSError: as `load_identity`.
    """
    own = find_dirs(environment)
    if not guest:
        signer = load_identity(own, entropy)
        return Profile(dirs=own, signer=signer, is_guest=False, tables=own.journals)
    _sweep_guests()
    secret = entropy.random_bytes(SECRET_BYTES)
    folder = Path(tempfile.mkdtemp(prefix=_GUESTS))
    return Profile(
        dirs=Dirs(config=folder / "config", data=folder / "data", state=folder / "state"),
        signer=Ed25519Signer(secret),
        is_guest=True,
        tables=own.journals,
        guest_secret=secret,
        _temporary=folder,
        _lock=take_lock(folder / _IN_USE),
    )


def _sweep_guests() -> None:
    """Removes the folders of guests whose programs were killed: no other process holds their locks."""
    for lock in Path(tempfile.gettempdir()).glob(f"{_GUESTS}*/{_IN_USE}.lock"):
        with suppress(JournalInUse, OSError):
            descriptor = take_lock(lock.with_suffix(""))
            shutil.rmtree(lock.parent, ignore_errors=True)
            os.close(descriptor)
