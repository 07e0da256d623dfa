import sees_itself


def twice(x):
    return x * 2 if sees_itself.__name__ else None
