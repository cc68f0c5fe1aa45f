"""Who subscribed to a card or a note hears of every change of it, whoever made it and wherever."""

from __future__ import annotations

import asyncio
import shutil
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from interface_helpers import environment
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import TextResourceContents
from note_files import write_notes

from synapse.interfaces.daemon import await_owner
from synapse.interfaces.gateway import LocalGateway
from synapse.interfaces.mcp import subscriptions
from synapse.interfaces.mcp.access import Level
from synapse.interfaces.mcp.server import create_server
from synapse.memory import Memory
from synapse.usecases.changed import Changed
from synapse.usecases.written import FactInput

PERSON = "synapse://entity/people/bego%C3%B1a"
LEDGER = "synapse://entity/services/ledger"
NOTE = "synapse://note/services/payments.md"
NOTES = {
    "services/payments.md": "---\ntype: Service\n---\n[[depends_on:services/ledger]]\n",
    "services/ledger.md": "---\ntype: Service\n---\n# Ledger\n",
    "people/begoña.md": "---\ntype: Person\n---\n# Begoña Ruiz\n",
}
KNOWS = FactInput("people/begoña", "knows", "services/ledger")

# The SDK's client says so to whoever still speaks the older era, as many clients do.
pytestmark = pytest.mark.filterwarnings("ignore:resources/(un)?subscribe is removed")


@pytest.fixture
def company(memory: Memory, notes: Path) -> Memory:
    write_notes(notes, NOTES)
    memory.sync()
    return memory


class Heard:
    """The URIs that a client of the older era was told of, in order."""

    def __init__(self) -> None:
        self.uris: list[str] = []
        self._more = asyncio.Event()

    async def __call__(self, message: Any) -> None:
        """Take one message of the server."""
        uri = getattr(getattr(message, "params", None), "uri", None)
        if uri is not None:
            self.uris.append(str(uri))
            self._more.set()

    async def wait_for(self, uri: str) -> None:
        """Return once the client was told of a resource."""
        async with asyncio.timeout(30):
            while uri not in self.uris:
                self._more.clear()
                await self._more.wait()


@asynccontextmanager
async def listening(server: Any, era: str, *uris: str) -> Any:
    """A client that subscribed, and a function that returns once it heard of a resource."""
    heard = Heard()
    mode = "legacy" if era == "older" else "auto"
    async with Client(server, mode=mode, message_handler=heard) as client:
        if era == "older":
            for uri in uris:
                await client.session.subscribe_resource(uri)
            yield client, heard.wait_for
            return
        async with client.listen(resource_subscriptions=list(uris)) as events:

            async def wait_for(uri: str) -> None:
                async with asyncio.timeout(30):
                    while (await anext(events)).uri != uri:
                        pass

            yield client, wait_for


def of(memory: Memory) -> Any:
    """A server of a memory of this process."""
    return create_server(lambda: LocalGateway(memory), access=Level.READ_WRITE)


def run(conversation: Callable[[], Awaitable[None]]) -> None:
    """One conversation, in an event loop of its own."""

    async def whole() -> None:
        await conversation()

    asyncio.run(whole())


def asserted(memory: Memory, notes: Path) -> None:
    memory.assert_facts([KNOWS], source="a test", reason="because")


def saved(memory: Memory, notes: Path) -> None:
    (notes / "people/begoña.md").write_text("# Begoña Ruiz\n\n[[knows:services/ledger]]\n", encoding="utf-8")
    memory.sync(paths=["people/begoña.md"])


def note_deleted(memory: Memory, notes: Path) -> None:
    (notes / "people/begoña.md").unlink()
    memory.sync()


def undone(memory: Memory, notes: Path) -> None:
    written = memory.assert_facts([KNOWS], source="a test", reason="because")
    memory.undo(str(written.id), reason="not so")


def reasoned_anew(memory: Memory, notes: Path) -> None:
    memory.reason()


def scenario_removed(memory: Memory, notes: Path) -> None:
    memory.install_scenario("core")
    memory.remove_scenario("core")


@pytest.mark.parametrize("era", ["newer", "older"])
@pytest.mark.parametrize("change", [asserted, saved, note_deleted, undone, reasoned_anew, scenario_removed])
def test_every_way_to_change_a_card_tells_its_subscribers(
    company: Memory, notes: Path, era: str, change: Callable[[Memory, Path], None]
) -> None:
    async def conversation() -> None:
        async with listening(of(company), era, PERSON) as (_, wait_for):
            await asyncio.to_thread(change, company, notes)
            await wait_for(PERSON)

    run(conversation)


@pytest.mark.parametrize("era", ["newer", "older"])
def test_a_write_through_the_same_connection_is_told_too(company: Memory, era: str) -> None:
    fact = {"subject": "people/begoña", "predicate": "knows", "object": "services/ledger"}

    async def conversation() -> None:
        async with listening(of(company), era, LEDGER) as (client, wait_for):
            written = await client.call_tool("assert_facts", {"facts": [fact], "source": "x", "reason": "y"})
            assert not written.is_error
            await wait_for(LEDGER)

    run(conversation)


@pytest.mark.parametrize(
    "uri", [PERSON, "synapse://entity/people/begoña", PERSON.replace("/people/", "/people%2F")]
)
def test_a_uri_is_told_in_the_spelling_in_which_it_was_asked_for(
    company: Memory, notes: Path, uri: str
) -> None:
    async def conversation() -> None:
        async with listening(of(company), "newer", uri) as (_, wait_for):
            await asyncio.to_thread(asserted, company, notes)
            await wait_for(uri)

    run(conversation)


def test_a_note_is_told_when_its_text_changes_and_when_its_section_does(company: Memory, notes: Path) -> None:
    async def conversation() -> None:
        async with listening(of(company), "older", NOTE) as (_, wait_for):
            company.install_scenario("core")
            await asyncio.to_thread(company.write_back)
            (notes / "services/payments.md").write_text("no fact, just prose\n", encoding="utf-8")
            await asyncio.to_thread(company.sync)
            await wait_for(NOTE)

    run(conversation)


def test_who_did_not_subscribe_or_unsubscribed_hears_nothing(company: Memory, notes: Path) -> None:
    async def conversation() -> None:
        silent = Heard()
        server = of(company)
        async with (
            Client(server, mode="legacy", message_handler=silent) as client,
            listening(server, "older", PERSON, NOTE) as (_, wait_for),
        ):
            await client.session.subscribe_resource(NOTE)
            await client.session.subscribe_resource(PERSON)
            await client.session.unsubscribe_resource(PERSON)
            await asyncio.to_thread(asserted, company, notes)
            await wait_for(PERSON)
            assert silent.uris == []

    run(conversation)


def test_the_memory_is_followed_only_while_somebody_has_subscribed(company: Memory) -> None:
    async def conversation() -> None:
        server = of(company)
        for era in ("newer", "older"):
            async with listening(server, era, PERSON):
                assert len(company._upkeep.changes._listeners) == 1
            async with asyncio.timeout(10):
                while company._upkeep.changes._listeners:
                    await asyncio.sleep(0.01)

    run(conversation)


def test_a_connection_may_not_subscribe_without_end(company: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriptions, "MAX_URIS", 2)

    async def conversation() -> None:
        async with Client(of(company), mode="legacy") as client:
            for uri in (PERSON, NOTE, PERSON):
                await client.session.subscribe_resource(uri)
            with pytest.raises(Exception, match="2 resources"):
                await client.session.subscribe_resource(LEDGER)

    run(conversation)


def test_a_great_change_is_told_without_naming_every_card(
    company: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("synapse.usecases.change_feed.MANY", 0)
    told: list[Changed] = []
    company.on_change(told.append)
    company.assert_facts([KNOWS], source="a test", reason="because")
    assert told == [Changed(everything=True)]


def test_a_note_is_a_resource_and_nothing_outside_the_notes_is(company: Memory, notes: Path) -> None:
    (notes.parent / "secret.md").write_text("secret", encoding="utf-8")

    async def conversation() -> None:
        async with Client(of(company)) as client:
            read = await client.read_resource("synapse://note/people/bego%C3%B1a.md")
            content = read.contents[0]
            assert isinstance(content, TextResourceContents)
            assert content.text == NOTES["people/begoña.md"]
            assert content.mime_type == "text/markdown"
            for path in ("../secret.md", "%2e%2e/secret.md", "/etc/passwd", "people/begoña", "nobody.md"):
                with pytest.raises(Exception, match="no note of this memory"):
                    await client.read_resource(f"synapse://note/{path}")

    run(conversation)


# -- several processes ------------------------------------------------------------------------


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[tuple[Path, Path, subprocess.Popen[bytes]]]:
    """Notes, a data folder, and the process that runs `synapse up` on them."""
    notes, data = tmp_path / "notes", tmp_path / "data"
    write_notes(notes, NOTES)
    owner = subprocess.Popen(
        [*COMMAND, "up", str(notes), "--data", str(data), "--port", "0", "--no-write-back"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(tmp_path),
    )
    assert owner.stdout is not None
    owner.stdout.readline()
    assert await_owner(data) is not None
    yield notes, data, owner
    owner.kill()
    owner.communicate()
    shutil.rmtree(data, ignore_errors=True)


COMMAND = [sys.executable, "-m", "synapse.interfaces.cli"]


@pytest.mark.parametrize("era", ["newer", "older"])
def test_a_child_over_stdio_hears_of_what_its_owner_and_command_lines_change_and_of_a_takeover(
    shared: tuple[Path, Path, subprocess.Popen[bytes]], tmp_path: Path, era: str
) -> None:
    notes, data, owner = shared
    env = environment(tmp_path)
    arguments = [*COMMAND[1:], "serve", str(notes), "--data", str(data), "--stdio"]
    child = StdioServerParameters(command=COMMAND[0], args=arguments, env=env)

    async def conversation() -> None:
        async with listening(stdio_client(child), era, PERSON, NOTE, LEDGER) as (_, wait_for):
            (notes / "people/begoña.md").write_text("[[knows:services/payments]]\n", encoding="utf-8")
            await wait_for(PERSON)
            command = [*COMMAND, "assert", "services/ledger", "knows", "services/payments"]
            command += ["--source", "s", "--reason", "r", "--notes", str(notes), "--data", str(data)]
            await asyncio.to_thread(subprocess.run, command, check=True, capture_output=True, env=env)
            await wait_for(LEDGER)
            owner.send_signal(signal.SIGKILL)
            await asyncio.to_thread(owner.wait)
            await wait_for(NOTE)

    run(conversation)
