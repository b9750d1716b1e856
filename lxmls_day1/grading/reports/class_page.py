"""Two pages for the instructor: a summary of the class, and the texts that students wrote.

The summary shows the points of each student in each exercise, the most common known mistakes, submissions that need a look, the
distribution of points, wrong answers that match no known mistake, and the difficulty of checks. The second page shows the
free-text answers with their marks, and the explanations that students wrote after a mistake was named, each next to the attempt.
This module computes the contents; ``templates`` defines the layout.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import mean, median
from typing import Any

from lxmls_day1.base.errors import pluralize
from lxmls_day1.base.grouping import grouped
from lxmls_day1.grading.gradebook import CheckGrade, ExerciseGrade, Gradebook, SubmissionGrade
from lxmls_day1.grading.reports.class_matrix import class_matrix, submissions_to_look_at
from lxmls_day1.grading.reports.groups import failure_groups
from lxmls_day1.grading.reports.manual_marks import FILE as HAND_MARKS
from lxmls_day1.grading.reports.page_frame import class_script, file_of, points_text, render, run_details
from lxmls_day1.grading.reports.same_work import MIN_ANSWER_TOKENS, same_work
from lxmls_day1.grading.verdicts import CRASHED, MEMORY, OK, REFUSED, TIMEOUT, VERDICTS, WRONG

MAX_MISTAKES_SHOWN, MAX_CHECKS_SHOWN = 15, 20
GROUPS_SHOWN, MAX_GROUPS = 8, 40  # shown at once, and after a click
MAX_NAMES_SHOWN = 8
BINS = 10
WIDTH, HEIGHT, FOOT, HEAD = 640, 190, 42, 22  # pixels, in the drawing of the distribution


def summary_html(gradebook: Gradebook) -> str:
    """Return the page with the summary of the class.

    Parameters
    ----------
    gradebook : Gradebook

    Returns
    -------
    str
        An HTML document with links to the students' pages in the folder ``feedback/`` next to it.

    Examples
    --------
    >>> row = SubmissionGrade("ada", "Ada", "ada.zip", "", ())
    >>> 'href="feedback/ada.html"' in summary_html(Gradebook((row,), 1, "process", ""))
    True
    """
    rows = gradebook.rows
    return render(
        "summary.html.j2",
        title="Summary of the class",
        wide=True,
        script=class_script(),
        in_short=_summary_line(rows),
        unread=gradebook.unread,
        to_mark=_marking_progress(rows),
        matrix=class_matrix(rows, _answer_links(rows)),
        looks=submissions_to_look_at(rows),
        doubts=[(row, doubt) for row in rows for doubt in row.doubts],
        distribution=_distribution(rows) if rows else None,
        exercises=list(_exercises(rows)),
        mistakes=_mistakes(rows),
        most_mistakes=MAX_MISTAKES_SHOWN,
        groups=failure_groups(rows),
        unseen=_undetected_by_probes(rows),
        groups_shown=GROUPS_SHOWN,
        most_groups=MAX_GROUPS,
        **_checks(rows),
        trouble=list(_process_failures(rows)),
        submissions=list(map(_submission, rows)),
        same_work=same_work(rows),
        min_answer_tokens=MIN_ANSWER_TOKENS,
        facts=run_details(gradebook),
        most_names=MAX_NAMES_SHOWN,
    )


def answers_html(
    gradebook: Gradebook,
    model_answers: Mapping[tuple[str, str, str], str] | None = None,
    sentences: Mapping[str, Mapping[str, str]] | None = None,
) -> str:
    """Return the page with the texts that students wrote: answers with their marks, and explanations of mistakes.

    Parameters
    ----------
    gradebook : Gradebook
    model_answers : mapping from (exercise, notebook, question) to markdown, optional
        The result of `lxmls_day1.grading.intake.notebook_answers.model_answers`, shown below each question.
    sentences : mapping from exercise to mapping from known mistake to sentence, optional
        The sentence about each known mistake, shown next to the explanations.

    Examples
    --------
    >>> "No answers" in answers_html(Gradebook((), 1, "process", ""))
    True
    """
    rows = gradebook.rows
    questions = _questions(rows, model_answers or {})
    return render(
        "answers.html.j2",
        title="Answers to be marked by hand",
        wide=True,
        script=class_script(),
        in_short=f"{pluralize(len(questions), 'question')}, {pluralize(len(rows), 'submission')}.",
        to_mark=_marking_progress(rows),
        questions=questions,
        explained=_explained_mistakes(rows, sentences or {}),
        most_names=MAX_NAMES_SHOWN,
    )


def _marking_progress(rows: Sequence[SubmissionGrade]) -> str:
    """Return a sentence about the progress of manual marking, or an empty string if no exercise needs it."""
    by_hand = [exercise for row in rows for exercise in row.exercises if exercise.is_manual]
    if not by_hand:
        return ""
    marked = sum(exercise.points is not None for exercise in by_hand)
    return (
        f"Marked by hand: {marked} of {len(by_hand)}. Write points and comments into {HAND_MARKS} beside this page, one row for "
        "each student and exercise, and run the same command again: it reads them."
    )


def _summary_line(rows: Sequence[SubmissionGrade]) -> str:
    if not rows:
        return "No submissions."
    points = [row.points for row in rows]
    out_of = points_text(max(row.out_of for row in rows))
    scored = [[exercise for exercise in row.exercises if exercise.points is not None] for row in rows]
    full = sum(bool(theirs) and all(exercise.is_full for exercise in theirs) for theirs in scored)
    return (
        f"{pluralize(len(rows), 'submission')}; mean {points_text(mean(points))}, median {points_text(median(points))} of "
        f"{out_of} points; {full} with full marks."
    )


def _distribution(rows: Sequence[SubmissionGrade]) -> dict[str, Any]:
    """Return the number of submissions in each range of points, and the heights of the columns in the drawing."""
    shares = [row.points / row.out_of if row.out_of else 0.0 for row in rows]
    counts = Counter(min(int(BINS * share + 1e-9), BINS - 1) for share in shares)
    highest, step = max(counts.values()), WIDTH // BINS
    bins = []
    for n in range(BINS):
        tall = (HEIGHT - FOOT - HEAD) * counts[n] / highest
        top = HEIGHT - FOOT - tall
        bins.append({"percent": 10 * n, "number": counts[n], "left": n * step, "top": top, "tall": tall})
    words = ", ".join(f"{10 * n} to {10 * n + 10} %: {counts[n]}" for n in sorted(counts))
    return {"width": WIDTH, "height": HEIGHT, "foot": FOOT, "step": step, "bins": bins, "words": words}


def _exercises(rows: Sequence[SubmissionGrade]) -> Iterator[dict[str, Any]]:
    """Yield the results of the class in each exercise. The share is None as long as no manual mark exists."""
    for id, of_all in grouped((exercise.id, exercise) for row in rows for exercise in row.exercises).items():
        title, out_of = f"{id} {of_all[0].title}", of_all[0].out_of
        points = [exercise.points for exercise in of_all if exercise.points is not None]
        if not points:
            words = f"by hand, out of {points_text(out_of)}"
            yield {"title": title, "points": words, "share": None, "full": "–", "none": "–"}
            continue
        words = f"{points_text(mean(points))} of {points_text(out_of)}"
        if len(points) < len(of_all):
            words += f", {len(points)} of {len(of_all)} marked"
        yield {
            "title": title,
            "points": words,
            "share": mean(points) / out_of if out_of else 0.0,
            "full": sum(exercise.is_full for exercise in of_all if exercise.points is not None),
            "none": sum(reached == 0 for reached in points),
        }


def _mistakes(rows: Sequence[SubmissionGrade]) -> list[dict[str, Any]]:
    """Return the known mistakes, the most common first, each with a sample of a student's code."""
    exercises = ((exercise, row) for row in rows for exercise in row.exercises)
    made = grouped(((exercise.id, *mistake), row) for exercise, row in exercises for mistake in exercise.mistakes)
    ranked = sorted(made.items(), key=lambda item: -len(item[1]))
    return [
        {
            "exercise": id,
            "name": name,
            "sentence": sentence,
            "who": who,
            "sample": next((row.written[id] for row in who if id in row.written), ""),
            "picture": next(filter(None, (_picture(row, id, name) for row in who)), ""),
        }
        for (id, name, sentence), who in ranked
    ]


def _picture(row: SubmissionGrade, id: str, mistake: str) -> str:
    """Return the picture of a wrong answer that a known mistake alone explains, as a PNG in base64; empty without one."""
    drawn = (check for check in row.checks if check.exercise == id and check.picture)
    pictures = (check.picture for check in drawn if [name for name, _ in check.mistakes] == [mistake])
    return next(pictures, "")


def _undetected_by_probes(rows: Sequence[SubmissionGrade]) -> dict[str, list[SubmissionGrade]]:
    """Return, for each exercise, the rows that answer all probe inputs correctly but fail another check."""

    def is_undetected(exercise: ExerciseGrade) -> bool:
        small = exercise.small_inputs
        return bool(small and small.verdict == OK) and any(check.verdict == WRONG for check in exercise.checks)

    return grouped((exercise.id, row) for row in rows for exercise in row.exercises if is_undetected(exercise))


def _checks(rows: Sequence[SubmissionGrade]) -> dict[str, Any]:
    """Return the difficulty of the hardest checks and of the others, and the checks that all students pass."""
    results = grouped((check.check, check) for row in rows for check in row.checks)
    lines = [_check_line(theirs) for theirs in results.values()]
    hard = sorted((line for line in lines if line["share"] < 1), key=lambda line: line["share"])
    easy = [line["check"] for line in lines if line["share"] == 1]
    return {"hard_checks": hard[:MAX_CHECKS_SHOWN], "other_checks": hard[MAX_CHECKS_SHOWN:], "easy_checks": easy}


def _check_line(theirs: Sequence[CheckGrade]) -> dict[str, Any]:
    """Return the results of one check for all submissions."""
    verdicts = Counter(check.verdict for check in theirs)
    right = verdicts.pop(OK, 0)
    passed, otherwise = f"{right} of {len(theirs)}", _counted_verdicts(dict(verdicts.most_common()))
    return {"check": theirs[0], "share": right / len(theirs), "passed": passed, "otherwise": otherwise}


def _counted_verdicts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{VERDICTS[verdict].words} {count}" for verdict, count in counts.items())


def _process_failures(rows: Sequence[SubmissionGrade]) -> Iterator[dict[str, Any]]:
    """Yield the submissions whose code was stopped or refused, by verdict."""
    for verdict in (TIMEOUT, MEMORY, CRASHED, REFUSED):
        who = [row for row in rows for check in row.checks if check.verdict == verdict]
        if who:
            yield {"verdict": verdict, "checks": len(who), "who": list({row.student: row for row in who}.values())}


def _submission(row: SubmissionGrade) -> dict[str, Any]:
    counts = Counter(check.verdict for check in row.checks)
    return {
        "row": row,
        "share": row.points / row.out_of if row.out_of else 0.0,
        "points": f"{points_text(row.points)} of {points_text(row.out_of)}",
        "verdicts": _counted_verdicts({verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]}),
        "file": file_of(row),
    }


def _explained_mistakes(
    rows: Sequence[SubmissionGrade], sentences: Mapping[str, Mapping[str, str]]
) -> list[dict[str, Any]]:
    """Return the questions on named mistakes with the students' answers, in the order of the exercises, the most frequent first."""
    order = {exercise.id: n for row in rows for n, exercise in enumerate(row.exercises)}
    explained = ((row, one) for row in rows for one in row.explanations)
    asked = grouped(((one.exercise, one.mistake, one.question), (row, one)) for row, one in explained)
    found = []
    for (exercise, mistake, question), theirs in sorted(
        asked.items(), key=lambda item: (order.get(item[0][0], len(order)), -len(item[1]))
    ):
        silent = {row.student: row for row, one in theirs if not one.text.strip()}
        found.append(
            {
                "exercise": exercise,
                "question": question,
                "mistake": mistake,
                "sentence": sentences.get(exercise, {}).get(mistake, ""),
                "answered": [(row, one) for row, one in theirs if one.text.strip()],
                "silent": list(silent.values()),
            }
        )
    return found


def _questions(
    rows: Sequence[SubmissionGrade], model_answers: Mapping[tuple[str, str, str], str]
) -> list[dict[str, Any]]:
    """Return all questions in the order of the exercises, each with the answers of all submissions."""
    given = ((row, one) for row in rows for one in row.answers)
    answers = grouped(((one.exercise, one.notebook, one.asked), (row, one)) for row, one in given)
    graded = {exercise.id: exercise for row in rows for exercise in row.exercises}
    order = {exercise: n for n, exercise in enumerate(graded)}
    numbers = Counter(exercise for exercise, *_ in answers)
    questions: list[dict[str, Any]] = []
    for key in sorted(answers, key=lambda key: order.get(key[0], len(order))):
        (id, notebook, asked), exercise = key, graded.get(key[0])
        handed_in = {row.student for row, _ in answers[key]}
        before = sum(question["exercise"] == id for question in questions)
        label = f"{id} ({before + 1})" if numbers[id] > 1 else id
        questions.append(
            {
                "exercise": id,
                "label": label,
                "title": f"{label} {exercise.title}" if exercise else label,
                "notebook": notebook,
                "asked": asked,
                "model": model_answers.get(key, ""),
                "marked": _marking_note(exercise, numbers[id]) if exercise else "",
                "answered": [(row, answer) for row, answer in answers[key] if answer.text.strip()],
                "silent": [row for row, answer in answers[key] if not answer.text.strip()],
                "absent": [row for row in rows if row.student not in handed_in],
            }
        )
    return questions


def _answer_links(rows: Sequence[SubmissionGrade]) -> dict[tuple[str, str], str]:
    """Return the place of each student's first answer to an exercise, on the page with the answers."""
    links: dict[tuple[str, str], str] = {}
    for n, question in enumerate(_questions(rows, {}), start=1):
        for k, (row, _) in enumerate(question["answered"], start=1):
            links.setdefault((question["exercise"], row.student), f"answers.html#answer-{n}-{k}")
    return links


def _marking_note(exercise: ExerciseGrade, n_questions: int) -> str:
    if not exercise.is_manual:
        return ""
    together = f" for its {n_questions} questions together" if n_questions > 1 else ""
    return f"Marked by hand: up to {points_text(exercise.out_of)} points{together}."
