"""Films what a tab of Chromium shows."""

import asyncio
import base64
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from playwright.async_api import Page

_SECONDS_TO_READ = 2.5
_POINTER = """(() => {
  const dot = document.createElement("div"), {style} = dot;
  style.cssText = "position:fixed;z-index:99999;width:20px;height:20px;margin:-10px;border-radius:50%;" +
    "background:#e11d48;opacity:.6;pointer-events:none";
  addEventListener("mousemove", (event) => {
    document.documentElement.append(dot); style.left = event.clientX + "px"; style.top = event.clientY + "px";
  }, true);
  document.addEventListener("mouseleave", () => dot.remove());
})()"""
"""Shows where the mouse is, which a browser without a window does not."""


class Film:
    """What a tab showed since it began; kept at ``path``, if anybody wants to see it."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._pictures: list[tuple[float, bytes]] = []

    async def pause(self) -> None:
        """Give somebody who sees it the time to read."""
        if self.path is not None:
            await asyncio.sleep(_SECONDS_TO_READ)

    async def begin(self, page: Page) -> None:
        """Take a picture at each change of a tab from now on."""
        await page.add_init_script(_POINTER)  # of what is opened within the page
        await page.evaluate(_POINTER)
        session = await page.context.new_cdp_session(page)

        async def keep(frame: dict[str, Any]) -> None:
            self._pictures.append((frame["metadata"]["timestamp"], base64.b64decode(frame["data"])))
            await session.send("Page.screencastFrameAck", {"sessionId": frame["sessionId"]})

        session.on("Page.screencastFrame", keep)
        await session.send("Page.startScreencast", {"format": "jpeg", "quality": 95})

    async def end(self) -> None:
        """Make a film of the pictures; Debian's ffmpeg does it."""
        assert self.path is not None
        folder = self.path.with_suffix("")
        folder.mkdir(parents=True, exist_ok=True)
        begun = [at for at, _ in self._pictures]
        lines = []
        for number, ((_, picture), (at, until)) in enumerate(
            zip(self._pictures, pairwise([*begun, time.time()]), strict=True)
        ):
            (folder / f"{number}.jpg").write_bytes(picture)
            lines += [f"file {number}.jpg", f"duration {until - at:.3f}"]
        (folder / "pictures.txt").write_text("\n".join([*lines, lines[-2]]))
        given = ("-y", "-loglevel", "error", "-f", "concat", "-i", folder / "pictures.txt")
        made = (
            "-vf",
            "fps=10,format=yuv420p",
            "-c:v",
            "libx264",
            "-preset",
            "veryfast",
            "-crf",
            "20",
            self.path,
        )
        process = await asyncio.create_subprocess_exec("ffmpeg", *given, *made)
        assert not await process.wait(), "no film was made"
        for each in folder.iterdir():
            each.unlink()
        folder.rmdir()


@asynccontextmanager
async def filmed(page: Page, path: Path | None) -> AsyncIterator[Film]:
    """Film a tab until this is left, failing or not; nothing without a path."""
    film = Film(path)
    if path is None:
        yield film
        return
    await film.begin(page)
    try:
        yield film
    finally:
        await film.end()
