"""A provider for each test."""

from collections.abc import Iterator

import pytest

from tests.proxy.provider import Provider


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A provider that says ok until a test says otherwise."""
    with Provider() as running:
        yield running
