import pytest

SEARCHED = {"test_search", "test_second_embeddings", "test_sharing"}
"""Where each promise is one of a user with few memories, and of one with many."""


@pytest.fixture(autouse=True)
def _searched_either_way(either_way: str) -> None:
    pass


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.module.__name__.rpartition(".")[2] in SEARCHED:
        metafunc.parametrize("either_way", ["whole", "by sketches"], indirect=True)
