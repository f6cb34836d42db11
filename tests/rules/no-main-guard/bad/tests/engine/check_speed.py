def test_speed() -> None:
    assert len("ab") == 2
