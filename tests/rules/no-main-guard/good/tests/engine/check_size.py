def test_speed() -> None:
    assert len("ab") == 2


if __name__ == "__main__":
    test_speed()
