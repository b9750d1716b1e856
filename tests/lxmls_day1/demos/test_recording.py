"""Animations: one picture for each frame, and nothing that would have to be fetched."""

import io
import re
import shutil
import subprocess

import pytest
from PIL import Image

from lxmls_day1.demos import recording
from lxmls_day1.demos.gaussian_playground import DemoGaussianPlayground
from lxmls_day1.demos.online_steps import DemoOnlineSteps
from lxmls_day1.errors import InputError


@pytest.fixture(scope="module")
def stepper(lab):
    demo = DemoOnlineSteps(lab, nr_points=6, nr_rounds=1)
    demo.go_to(2)
    return demo


@pytest.fixture(scope="module")
def pictures(stepper):
    return recording.recorded(stepper)


def test_there_is_a_picture_for_each_step_and_the_page_is_as_before(stepper, pictures):
    assert len(pictures) == 7 and len({picture.tobytes() for picture in pictures}) == 7
    assert stepper.current() == 2


def test_a_gif_has_all_of_them(pictures):
    with Image.open(io.BytesIO(recording.as_gif(pictures))) as gif:
        assert gif.n_frames == 7 and gif.size == pictures[0].size and gif.info["loop"] == 0


def test_a_page_holds_all_of_them_and_asks_for_nothing(stepper, pictures):
    page = recording.as_page(pictures, "<Steps> & back", stepper.stage.look).decode()
    assert page.count("data:image/png;base64,") == 7 and "&lt;Steps&gt; &amp; back" in page
    assert not re.search(r"(src|href)=\"(?!data:)[^\"]", page) and "://" not in page


@pytest.mark.skipif(shutil.which("ffprobe") is None, reason="ffmpeg is not installed")
def test_a_video_is_as_long_as_the_steps_take(pictures, tmp_path):
    path = tmp_path / "steps.mp4"
    path.write_bytes(recording.as_mp4(pictures))
    shown = "format=duration:stream=codec_name,width"
    probe = ["ffprobe", "-v", "error", "-show_entries", shown, "-of", "csv=p=0", str(path)]
    stream, duration = subprocess.run(probe, capture_output=True, text=True, check=True).stdout.split()
    assert stream == f"h264,{pictures[0].size[0] // 2 * 2}"
    assert float(duration) == pytest.approx(7 * recording.MILLISECONDS / 1000, abs=0.3)


def test_without_ffmpeg_there_is_no_video_but_a_reason(pictures, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda program: None)
    assert recording.animation_formats() == ["gif", "html"]
    with pytest.raises(InputError, match="MP4 needs ffmpeg"):
        recording.as_mp4(pictures)


def test_a_long_one_is_cut_off_and_says_so(stepper, monkeypatch):
    monkeypatch.setattr(recording, "MOST_FRAMES", 3)
    assert len(recording.recorded(stepper)) == 3
    assert "The animation shows the first 3 of 7 steps" in stepper.stage.messages


def test_what_does_not_go_in_steps_is_refused(lab):
    with pytest.raises(InputError, match="does not go in steps"):
        recording.animation(DemoGaussianPlayground(lab, nr_points=20), "gif")
    with pytest.raises(InputError, match=r".pdf was asked for"):
        recording.animation(None, "pdf")
