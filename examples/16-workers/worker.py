"""A Heddle worker with nothing but Python's standard library: python3 worker.py FILE [ACTION ...] (see README.md)."""
import http.client, json, os, runpy, signal, sys, threading, time, urllib.error, urllib.request
from concurrent.futures import ThreadPoolExecutor

URL, KEY = os.environ.get("HEDDLE_URL", "http://127.0.0.1:4100"), os.environ.get("HEDDLE_KEY")
HEADERS = {"content-type": "application/json", **({"authorization": f"Bearer {KEY}"} if KEY else {})}
LEASE_MS, AT_ONCE, held, stopping = 30_000, 4, set(), threading.Event()
if len(sys.argv) < 2: sys.exit("Expected a file with ACTIONS, but none was named: python3 worker.py actions.py")
actions = {k: v for k, v in runpy.run_path(sys.argv[1])["ACTIONS"].items() if k in sys.argv[2:] or not sys.argv[2:]}

def call(path, tasks):
    request = urllib.request.Request(f"{URL}/v1/tasks/{path}", json.dumps(tasks, allow_nan=False).encode(), HEADERS)
    while not (path == "lease" and stopping.is_set()):
        try:
            with urllib.request.urlopen(request, timeout=30) as answer: return json.load(answer)["tasks"]
        except (OSError, http.client.HTTPException) as problem:  # away or busy: ask again; a refusal stays one
            if isinstance(problem, urllib.error.HTTPError) and problem.code < 500 and problem.code != 429: raise
            time.sleep(2)
    return []

def work(task):
    try:
        result = {"output": actions[task["action"]](task["input"], task)}
        json.dumps(result, allow_nan=False)
    except Exception as error:
        result = {"error": {"message": f"{type(error).__name__}: {error}"}}
    try: call("finish", {"tasks": [{"lease": task["lease"], **result}]})
    finally: held.discard(task["lease"])

def heartbeat():  # three times in every lease: whoever is silent for longer loses the task to somebody else
    while not time.sleep(LEASE_MS / 3000):
        if held: call("heartbeat", {"tasks": [{"lease": lease, "leaseMs": LEASE_MS} for lease in list(held)]})

for number in (signal.SIGTERM, signal.SIGINT): signal.signal(number, lambda *_: stopping.set())
threading.Thread(target=heartbeat, daemon=True).start()
print(f"Works for {URL}: {', '.join(actions)}", file=sys.stderr, flush=True)
with ThreadPoolExecutor(AT_ONCE) as pool:  # told to stop, it leases nothing more, and leaves when its tasks are done
    while not stopping.wait(0.05 if (room := AT_ONCE - len(held)) == 0 else 0):
        wish = {"actions": [*actions], "max": room, "leaseMs": LEASE_MS, "waitMs": 2000, "worker": "python"}
        for task in call("lease", wish) if room > 0 else []: held.add(task["lease"]), pool.submit(work, task)
