import pytest

from recollect.postgres import searching


@pytest.fixture(params=["whole", "by sketches"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Search as for a user who has few memories, and as for one who has many."""
    way: str = request.param
    if way == "by sketches":
        monkeypatch.setattr(searching, "SKETCHED_FROM", 0)
    return way
