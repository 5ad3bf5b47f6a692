"""What the worker in Python can do: functions of the input and the task, by the names of actions."""


def count(given, task):
    return {"words": len(given["text"].split())}


ACTIONS = {"words.count": count}
