"""Animations of stepwise demonstrations: GIF, MP4 where ffmpeg is installed, and a page that needs nothing but a browser.

The page holds its pictures and a few lines of script, and nothing else: it can be mailed, and shown without a network.
"""

import base64
import html
import io
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

from lxmls_day1.errors import InputError
from lxmls_day1.whole_files import temporary_folder

MOST_FRAMES = 150  # of one animation; a longer one is cut off there, and says so
MILLISECONDS = 700  # for a frame
_DPI = 125
_COLOURS = 64  # of a picture: lines and letters need no more


def animation_formats() -> list[str]:
    """The kinds of animation that can be made here: MP4 only where ffmpeg is."""
    return ["gif", "html", "mp4"] if shutil.which("ffmpeg") else ["gif", "html"]


def animation(demonstration: Any, kind: str) -> bytes:
    """A file with an animation of all frames of a demonstration.

    Parameters
    ----------
    demonstration : lxmls_day1.demos.demonstration.Demonstration
        A stepwise one; it shows the same state afterwards as before.
    kind : "gif", "html" or "mp4"

    Returns
    -------
    bytes

    Raises
    ------
    InputError
        If the demonstration has no frames, or the kind is not known or cannot be made here.
    """
    if kind not in ("gif", "html", "mp4"):
        raise InputError(f"a demonstration is saved as .png, .gif, .html or .mp4, but .{kind} was asked for.")
    pictures = recorded(demonstration)
    if kind == "html":
        return as_page(pictures, demonstration.title, demonstration.stage.look)
    return as_gif(pictures) if kind == "gif" else as_mp4(pictures)


def recorded(demonstration: Any) -> list[Any]:
    """A picture (PIL) of every frame, the first `MOST_FRAMES` of them, in few colours.

    Raises
    ------
    InputError
        If there are no frames.
    """
    from PIL import Image

    frames = demonstration.frames()
    if not len(frames):
        raise InputError(f"{demonstration.title} does not go in steps: save it as a picture, .png.")
    stage, pictures = demonstration.stage, []
    shown = demonstration.current()
    with stage.unseen():
        for frame in frames[:MOST_FRAMES]:
            demonstration.go_to(frame)
            size = tuple(round(inches * _DPI) for inches in stage.figure.get_size_inches())
            picture = Image.frombuffer("RGBA", size, stage.pixels("rgba", _DPI)).convert("RGB")
            pictures.append(picture.quantize(_COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE))
        if shown is not None:
            demonstration.go_to(shown)
    stage.refresh()
    if len(frames) > MOST_FRAMES:
        stage.say(f"The animation shows the first {MOST_FRAMES} of {len(frames)} steps.")
    return pictures


def as_gif(pictures: Sequence[Any]) -> bytes:
    """An endless GIF of pictures."""
    small = [picture if picture.mode == "P" else picture.quantize(_COLOURS) for picture in pictures]
    file = io.BytesIO()
    small[0].save(file, format="GIF", save_all=True, append_images=small[1:], duration=MILLISECONDS, loop=0, disposal=1)
    return file.getvalue()


def as_mp4(pictures: Sequence[Any]) -> bytes:
    """A video that every player knows (H.264), by ffmpeg.

    Raises
    ------
    InputError
        If ffmpeg is not installed, or fails.
    """
    program = shutil.which("ffmpeg")
    if program is None:
        raise InputError("MP4 needs ffmpeg, which is not installed here; save as .gif or .html instead.")
    width, height = pictures[0].size
    even = (width - width % 2, height - height % 2)  # the format wants it
    with temporary_folder("lxmls-day1-recording-") as folder:
        path = folder / "animation.mp4"
        command = [program, "-loglevel", "error", "-nostdin", "-y"]
        command += ["-f", "rawvideo", "-pixel_format", "rgb24", "-video_size", f"{even[0]}x{even[1]}"]
        command += [
            "-framerate",
            f"1000/{MILLISECONDS}",
            "-i",
            "pipe:0",
            "-r",
            "5",
            "-preset",
            "veryfast",
            "-pix_fmt",
            "yuv420p",
            str(path),
        ]
        data = b"".join(picture.crop((0, 0, *even)).convert("RGB").tobytes() for picture in pictures)
        # -nostdin keeps it from reading commands; the pictures come through pipe:0 all the same
        done = subprocess.run(command, input=data, capture_output=True, check=False)
        if done.returncode or not path.is_file():
            reason = done.stderr.decode(errors="replace").strip().splitlines()
            raise InputError(f"ffmpeg could not make the MP4: {reason[-1] if reason else 'it does not say why'}")
        return path.read_bytes()


def as_page(pictures: Sequence[Any], title: str, look: Any, home: str = "") -> bytes:
    """A page with the pictures in it, and buttons to play, pause, step and go back; space plays and the arrow keys step, too.

    Parameters
    ----------
    pictures : sequence of PIL images
    title : str
    look : Look
    home : str
        The address of the list that it belongs to; no link unless given.

    Returns
    -------
    bytes
    """
    sources = []
    for picture in pictures:
        file = io.BytesIO()
        picture.save(file, format="PNG", compress_level=6)
        sources.append(f'"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"')
    page = _PAGE
    for key, value in {
        "TITLE": html.escape(title),
        "HOME": f'<a href="{html.escape(home)}">☰ all</a> ' if home else "",
        "ACCENT": look.accent,
        "BACKGROUND": look.background,
        "FOREGROUND": look.foreground,
        "LAST": str(len(pictures) - 1),
        "MILLISECONDS": str(MILLISECONDS),
        "PICTURES": ",\n".join(sources),
    }.items():
        page = page.replace(f"%{key}%", value)
    return page.encode()


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>%TITLE%</title>
<link rel="icon" href="data:,">
<style>
body { margin: 0 1em; background: %BACKGROUND%; color: %FOREGROUND%; font: 20px system-ui, sans-serif; text-align: center; }
h1 { font-size: 1.4em; margin: 0.4em; }
img { display: block; margin: auto; max-width: 100%; max-height: calc(100vh - 8em); }
button { font: inherit; padding: 0.1em 0.8em; color: inherit; background: transparent; border: 2px solid; border-radius: 8px; }
h1 a { font-size: 0.7em; font-weight: 400; color: %ACCENT%; }
input { width: 40%; vertical-align: middle; }
</style>
</head>
<body>
<h1>%HOME%%TITLE%</h1>
<img id="picture" alt="">
<p>
<button id="back">◀ back</button>
<button id="play">play</button>
<button id="step">step ▶</button>
<input id="place" type="range" min="0" max="%LAST%" value="0" aria-label="step"> <span id="count"></span>
</p>
<script>
const pictures = [%PICTURES%];
const [picture, place, count, play] = ["picture", "place", "count", "play"].map(id => document.getElementById(id));
let timer = null;
function show(number) {
  place.value = Math.min(Math.max(number, 0), pictures.length - 1);
  picture.src = pictures[place.value];
  count.textContent = `${place.value} of ${pictures.length - 1}`;
  picture.alt = `%TITLE%, step ${count.textContent}`;
}
function pause() { clearInterval(timer); timer = null; play.textContent = "play"; }
function go() {
  if (+place.value === pictures.length - 1) show(0);
  play.textContent = "pause";
  timer = setInterval(() => { show(+place.value + 1); if (+place.value === pictures.length - 1) pause(); }, %MILLISECONDS%);
}
play.onclick = () => timer === null ? go() : pause();
place.oninput = () => { pause(); show(place.value); };
for (const [id, by] of [["back", -1], ["step", 1]])
  document.getElementById(id).onclick = () => { pause(); show(+place.value + by); };
document.onkeydown = event => {
  if (event.key === " ") { event.preventDefault(); play.onclick(); return; }
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by) { event.preventDefault(); pause(); show(+place.value + by); }
};
show(0);
</script>
</body>
</html>
"""
