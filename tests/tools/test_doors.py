from lxmls_day1.grading.reports.class_page import summary_html
from tools import doors


def test_invented_class_is_the_same_each_time_and_has_every_student_and_sign():
    page = summary_html(doors.invented_class())
    assert page == summary_html(doors.invented_class())
    assert all(f">{name}<" in page for name in doors.NAMES) and all(sign in page for sign in "✎○◷")
