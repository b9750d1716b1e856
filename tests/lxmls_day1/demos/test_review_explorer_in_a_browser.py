"""The review explorer as it is served: whatever is typed is text, and every window has its own review."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.campaign]

HOSTILE = {
    "empty": "",
    "emoji": "😀🔥💩 " * 20,
    "html": '<script>window.harmed = 1</script><img src="x" onerror="window.harmed = 1"><b id="harm">great</b> &lt;',
    "100 kB": ("An excellent plot, but a boring ending. " * 2600)[:100_000],
}


def ready(window):
    return window.wait(lambda state: not state["running"] and len(state["models"]) == 8)


def typed(window, text):
    window.page.fill(".demo-review textarea", text)
    return window.wait(lambda state: state.get("characters") == len(text))


def test_bad_input_is_harmless_to_the_page_and_to_another_window(open_demo):
    window, other = open_demo("review_explorer"), open_demo("review_explorer")
    ready(window)
    before = ready(other)
    for kind, text in HOSTILE.items():
        state = typed(window, text)
        assert len(state["decisions"]) == 8, kind
        assert window.page.evaluate("window.harmed") is None and window.page.locator("#harm").count() == 0
        assert window.page.locator('[role="alert"]').count() == 0
    window.screenshot("_100kB")
    assert window.fits()
    state = typed(window, HOSTILE["html"])
    assert window.page.inner_text(".demo-words").split() == HOSTILE["html"].split()  # it stands there as it was typed
    window.page.wait_for_timeout(700)
    window.screenshot("_html")
    state = typed(window, "excellent")
    assert {decision["decided"] for decision in state["decisions"].values()} == {"positive"}
    assert other.state() == before


def test_the_three_views_and_the_smoothing_slider(open_demo):
    window = open_demo("review_explorer")
    state = ready(window)
    assert sum(weight for _, weight in state["words"]) != 0
    window.page.wait_for_timeout(700)
    window.screenshot("_review")
    window.page.click("button:has-text('telling words')")
    state = window.wait(lambda state: state["view"] == "telling")
    assert state["telling"]["positive"][0][1] > 0 > state["telling"]["negative"][0][1]
    window.page.wait_for_timeout(700)
    window.screenshot("_telling")
    window.page.click("button:has-text('smoothing')")
    before = window.wait(lambda state: state["view"] == "smoothing")
    window.page.locator(".noUi-handle").last.press("ArrowLeft")  # α: from 1 to 0.5
    state = window.wait(lambda state: state["alpha"] == 0.5)
    assert abs(state["added"]) > abs(before["added"])
    window.page.wait_for_timeout(700)
    window.screenshot("_smoothing")
    assert window.fits()
