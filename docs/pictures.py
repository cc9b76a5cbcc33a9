"""Takes the pictures of docs/tutorial.md: the real terminal as SVG, the HTML report in a headless Chromium as PNG.

    pip install pillow && python docs/pictures.py        # needs the package index, git, and `chromium` on the path

They are pictures of real runs: what they show changes only when the program, or what it reads, does.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

IMAGES = Path(__file__).parent / "images"
WIDTH = 104
SCAN = ["scan", "speculators==0.3.0", "--against", "vllm==0.16"]
PATCHES = "generated_patches/speculators-0.3.0--vllm-0.16.0"


def main() -> None:
    """Run each command in an empty folder and keep what it shows."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        told = run(SCAN, folder)
        first = told.index("\n\n", told.index("unknown-argument"))
        picture("scan", SCAN, told[:first] + "\n\n[...]\n\n" + "\n".join(told.splitlines()[-2:]))
        unpack(folder)
        for title, words in (
            ("check", ["apply", PATCHES, "--to", "speculators", "--unsafe-fixes", "--check"]),
            ("apply", ["apply", PATCHES, "--to", "speculators", "--unsafe-fixes"]),
            (
                "again",
                [
                    "scan",
                    "speculators",
                    "--from",
                    "vllm==0.11.0",
                    "--against",
                    "vllm==0.16",
                    "--no-patches",
                    "--statistics",
                ],
            ),
        ):
            picture(title, words, run(words, folder))
        words = ["diff", "vllm==0.11.0", "vllm==0.16", "--used-by", "speculators==0.3.0", "--grade", "breaking"]
        told = run(words, folder)
        scheduler = told[told.index("vllm.v1.core.kv_cache_utils.get_kv") :]
        picture("diff", words, told.split("\n\n")[0] + "\n\n[...]\n\n" + strip_start(scheduler))
        report = folder / "report.html"
        run([*SCAN, "--no-patches", "--output-format", "html", "-o", str(report)], folder)
        screenshot(report, IMAGES / "report.png")


def strip_start(text: str) -> str:
    """The text with the colour that its first word had lost."""
    return "\x1b[1m" + text


def unpack(folder: Path) -> None:
    """The published consumer, as a folder to patch."""
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":none:", "speculators==0.3.0"]
    subprocess.run(pip, cwd=folder, check=True)
    (wheel,) = folder.glob("speculators-*.whl")
    shutil.unpack_archive(wheel, folder / "wheel", "zip")
    (folder / "wheel" / "speculators").rename(folder / "speculators")
    whole = folder / "speculators"
    inner = folder / "inner"
    whole.rename(inner)
    whole.mkdir()
    inner.rename(whole / "speculators")
    for other in (folder / "wheel").iterdir():
        other.rename(whole / other.name)


def run(words: Sequence[str], folder: Path) -> str:
    """What a command prints on a terminal of our width, both streams."""
    environment = {**os.environ, "COLUMNS": str(WIDTH), "FORCE_COLOR": "1", "CI": "1"}
    command = [sys.executable, "-m", "auditor", *words]
    done = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(words)}: {done.stdout}")
    return done.stdout.replace(f"{folder}/", "")


def picture(name: str, words: Sequence[str], output: str) -> None:
    """A terminal window as SVG, without the web fonts that rich would load."""
    console = Console(record=True, width=WIDTH + 4, file=open(os.devnull, "w", encoding="utf-8"), force_terminal=True)  # noqa: SIM115, PTH123
    console.print(Text(f"$ api-audit {' '.join(words)}", style="bold"))
    console.print(Text.from_ansi(output.rstrip("\n")))
    svg = console.export_svg(title="api-audit", theme=MONOKAI, unique_id=name)
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL).replace("Fira Code", "ui-monospace")
    (IMAGES / f"{name}.svg").write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n", encoding="utf-8")


def screenshot(page: Path, target: Path) -> None:
    """The top of a page in a headless Chromium, with few colours."""
    from PIL import Image

    with TemporaryDirectory() as profile:
        command = [
            "chromium",
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--window-size=1200,1400",
        ]
        command += [
            f"--user-data-dir={profile}",
            "--force-device-scale-factor=1",
            f"--screenshot={target}",
            page.as_uri(),
        ]
        subprocess.run(command, check=True, capture_output=True)
    with Image.open(target) as image:
        image.convert("RGB").quantize(128).save(target, optimize=True)


if __name__ == "__main__":
    main()
