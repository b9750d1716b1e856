"""The comparison as it is served: it fills up while the page stays alive, stops when told to, and begins anew."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.campaign]


def test_it_can_be_stopped_keeps_what_is_done_and_goes_through_when_started_anew(open_demo):
    window = open_demo("comparison")
    window.page.locator(".noUi-handle").first.press("End")  # 50 seeds: long enough to be stopped
    state = window.wait(lambda state: state["total"] == 50 * 6 * 17 and state["done"] > 0)
    assert state["running"]
    window.page.click("button:has-text('rare class')")  # the page is alive meanwhile
    assert window.wait(lambda state: state["part"] == "rare")["running"]
    window.page.click(".demo-cancel")
    stopped = window.wait(lambda state: not state["running"])
    assert 0 < stopped["done"] < stopped["total"] and stopped["ending"].startswith("stopped")
    window.page.wait_for_timeout(1500)
    assert window.state() == stopped
    window.screenshot("_stopped")

    window.page.locator(".noUi-handle").first.press("Home")  # 2 seeds
    state = window.wait(lambda state: state["ending"] == "done")
    assert state["done"] == state["total"] == 2 * 6 * 17
    window.page.wait_for_timeout(1000)
    window.screenshot("_done")
    assert window.fits()
