import io

import numpy as np
import pytest

from lxmls_day1.errors import InputError
from lxmls_day1.grading.boundary_picture import BoundaryPictures
from lxmls_day1.grading.gradebook import Boundary
from readers.simple_data_set import SimpleDataSet

PURPLE = np.array([0xCC, 0x79, 0xA7]) / 255
VERTICAL = ((0.0, 0.0), (-1.0, 1.0), (0.0, 0.0))  # x_1 = 0
HORIZONTAL = ((0.0, 0.0), (0.0, 0.0), (-1.0, 1.0))  # x_2 = 0
NAN, INF = float("nan"), float("inf")


@pytest.fixture(scope="module")
def pictures():
    data = SimpleDataSet()
    reference = {"1.4": ("Perceptron", np.array(VERTICAL)), "1.5": ("MIRA", np.array(HORIZONTAL))}
    return BoundaryPictures(data.train_X, data.train_y, data.get_bayes_optimal(), reference)


def pixels(png):
    """Read by matplotlib: another reader of PNG than ours is a writer."""
    from matplotlib.image import imread

    return imread(io.BytesIO(png), format="png")[..., :3]


def purple_in(png, panel):
    """Rows and columns, from 0 to 1 in the left or right half, of the pixels in the student's colour."""
    image = pixels(png)[: int(0.85 * len(pixels(png)))]  # without the legend
    width = image.shape[1] // 2
    half = image[:, panel * width : (panel + 1) * width]
    rows, columns = np.nonzero(np.abs(half - PURPLE).max(axis=2) < 0.08)
    return rows / half.shape[0], columns / width


def test_a_vertical_boundary_is_drawn_as_one(pictures):
    drawn = pictures.draw((Boundary("1.4", "Perceptron", VERTICAL),))
    rows, columns = purple_in(drawn, 0)
    assert len(columns) > 100 and np.ptp(columns) < 0.05 and np.ptp(rows) > 0.5


def test_a_horizontal_boundary_is_drawn_in_its_own_panel(pictures):
    drawn = pictures.draw((Boundary("1.5", "MIRA", HORIZONTAL),))
    rows, columns = purple_in(drawn, 1)
    assert len(columns) > 100 and np.ptp(rows) < 0.05 and np.ptp(columns) > 0.7


def test_a_picture_holds_nothing_of_the_one_before(pictures):
    mine = (Boundary("1.4", "Perceptron", VERTICAL), Boundary("1.5", "MIRA", HORIZONTAL))
    first = pictures.draw(mine)
    pictures.draw((Boundary("1.4", "x", HORIZONTAL), Boundary("1.5", "x", ((NAN, 0.0),) * 3)))
    pictures.draw(())
    assert pictures.draw(mine) == first


def test_a_picture_is_small(pictures):
    assert len(pictures.draw((Boundary("1.4", "", VERTICAL), Boundary("1.5", "", HORIZONTAL)))) < 40_000


@pytest.mark.parametrize(
    "params",
    [
        (),
        ((),),
        ((), (), ()),
        ((0.0,), (1.0,), (1.0,)),
        ((0.0, 1.0),),
        ((0.0, 1.0),) * 4,
        ((0.0, 1.0), (1.0,), (2.0, 3.0)),
        ((NAN, 1.0), (1.0, 2.0), (3.0, 4.0)),
        ((INF, 1.0), (1.0, -INF), (3.0, 4.0)),
        ((1e308, -1e308), (1e308, 1e308), (-1e308, 1e308)),
        ((5e-324, 0.0), (5e-324, 0.0), (0.0, 5e-324)),
        ((1e308, 1e-308), (0.0, 1e300), (1e-300, 0.0)),
        ((0.0,) * 1000,) * 3,
        (tuple(float(k) for k in range(200)),) * 5,
        ((10**400, 0), (1, 1), (1, 2)),
        (("a", "b"),) * 3,
        "rubbish",
        None,
        7,
    ],
    ids=str,
)
def test_garbage_is_never_an_exception(pictures, params):
    drawn = pictures.draw((Boundary("1.4", "x", params), Boundary("1.5", "MIRA", HORIZONTAL)))
    assert pixels(drawn).shape == pixels(pictures.draw(())).shape
    rows, columns = purple_in(drawn, 1)
    assert np.ptp(rows) < 0.05 and np.ptp(columns) > 0.7  # the other panel is as it should be


@pytest.mark.slow
def test_random_params_of_any_size(pictures):
    rng = np.random.default_rng(3)
    for _ in range(30):
        shape = (int(rng.integers(0, 7)), int(rng.integers(0, 9)))
        params = rng.normal(size=shape) * 10.0 ** rng.integers(-300, 300, size=shape)
        pictures.draw((Boundary("1.4", "x", tuple(map(tuple, params.tolist()))),))


def test_a_panel_without_a_line_says_why(pictures):
    """Each reason gives other words, so another picture; only the panel in question differs."""
    drawn = [
        pictures.draw((Boundary("1.5", "", HORIZONTAL), *more))
        for more in (
            (),
            (Boundary("1.4", "", ((NAN, 0.0),) * 3),),
            (Boundary("1.4", "", ((1.0, 0.0), (0.0, 0.0), (0.0, 0.0))),),
            (Boundary("1.4", "", ((1.0, 0.0),) * 4),),
        )
    ]
    assert len(set(drawn)) == len(drawn)
    images = [pixels(png) for png in drawn]
    width = images[0].shape[1] // 2
    for image in images[1:]:
        np.testing.assert_array_equal(image[:, width:], images[0][:, width:])


def test_scores_times_a_number_have_the_same_boundary(pictures):
    params = np.array([[0.3, -0.2], [-1.0, 1.0], [0.4, 0.1]])
    drawn = {
        pictures.draw((Boundary("1.4", "", tuple(map(tuple, (s * params).tolist()))),))
        for s in (1.0, 2.0**900, 2.0**-900)
    }
    assert len(drawn) == 1


def test_other_exercises_are_left_out_and_the_first_of_two_counts(pictures):
    mine = Boundary("1.4", "", VERTICAL)
    assert pictures.draw((mine, Boundary("9.9", "", HORIZONTAL), Boundary("1.4", "", HORIZONTAL))) == pictures.draw(
        (mine,)
    )


@pytest.mark.parametrize("count", [1, 3, 5])
def test_any_number_of_panels(count):
    data = SimpleDataSet(g1=[[-1, -1], 1], g2=[[1, 1], 4])  # its best boundary is a curve
    reference = {f"1.{n}": ("Rule", data.get_bayes_optimal()) for n in range(count)}
    pictures = BoundaryPictures(data.train_X, data.train_y, data.get_bayes_optimal(), reference)
    assert len(pictures.draw((Boundary("1.0", "Rule", tuple(map(tuple, data.get_bayes_optimal().tolist()))),))) < 40_000


def test_points_that_cannot_be_drawn_are_refused():
    with pytest.raises(InputError, match="points"):
        BoundaryPictures(np.zeros((3, 4)), [0, 1, 0], VERTICAL, {"1.5": ("MIRA", VERTICAL)})
    with pytest.raises(InputError, match="reference"):
        BoundaryPictures([[0, 0], [1, 1]], [0, 1], VERTICAL, {})
