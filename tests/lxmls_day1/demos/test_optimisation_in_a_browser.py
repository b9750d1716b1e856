"""The optimisation demonstration as it is served: a slider measures anew, the SVM shows its gap."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.campaign]


def test_curves_appear_and_a_slider_changes_what_is_plotted(open_demo):
    window = open_demo("optimisation")
    before = window.wait(lambda state: not state["running"] and len(state["curves"]) == 7)
    assert before["curves"]["L-BFGS"]["objective"] == pytest.approx(before["optima"]["0"])
    window.screenshot("_max_ent")

    window.page.locator(".noUi-handle").first.press("ArrowRight")  # λ: from 0 to 0.0001
    state = window.wait(lambda state: not state["running"] and "0.0001" in state["optima"])
    assert state["optima"]["0.0001"] > before["optima"]["0"]
    assert "λ to 0" in window.page.inner_text(".demo-message")

    window.page.click("button:has-text('SVM')")
    state = window.wait(lambda state: not state["running"] and "Dual D(α)" in state["curves"])
    primal, dual = (state["curves"][name]["objective"] for name in ("Primal P(W)", "Dual D(α)"))
    assert dual <= primal and state["optima"]["0.0001"] <= primal
    window.page.click("button:has-text('above optimum')")
    state = window.wait(lambda state: state["shown"] == "excess")
    assert state["curves"]["Primal P(W)"]["objective"] == primal  # nothing was measured anew
    window.page.wait_for_timeout(1000)
    window.screenshot("_svm")
    assert window.fits()
