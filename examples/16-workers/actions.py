"""What the worker in Python can do: functions of the input and the task, by the names of actions."""


def count(given, task):
    return {"words": len(given["text"].split())}


def longest(given, task):
    return {"longest": max(given["text"].split(), key=len, default=None)}


ACTIONS = {"words.count": count, "words.longest": longest}
