"""table.py GO BERTH: the result lines of queuebench and bench-queue as one table, with ratios and targets.

Fails if the two popped pods in different orders, because then they did not do the same work."""
import json
import sys

# The least ratio of speeds at 100,000 pods, by item.
SPEED_TARGETS = {
    "add": 20,
    "pop, done": 20,
    "add, pop, fail, wake, flush, pop, done": 20,
    "steady mix beside parked pods": 20,
    "event that wakes 10 pods": 1000,
}
TARGET_PODS = 100_000
MAX_BYTES_PER_POD = 200
INDIFFERENT_EVENT = "event of a plugin that rejected nobody"
MAX_GROWTH = 2  # of an indifferent event's cost, from 1,000 to 100,000 parked pods


def read(path):
    """Item and size -> the best line; lines of one item must agree on the order of pops."""
    results = {}
    for text in open(path):
        line = json.loads(text)
        key = (line["item"], line["pods"])
        if "ns" in line:
            line["ns_per_call"] = line["ns"] / line["calls"]
        best = results.setdefault(key, line)
        if best.get("order") != line.get("order"):
            sys.exit(f"{path}: {key}: two runs popped in different orders")
        if line.get("ns_per_call", 0) < best.get("ns_per_call", 0):
            results[key] = line
    return results


def number(value):
    return f"{value:,.1f}" if abs(value) < 100 else f"{value:,.0f}"


def verdict(ok, target):
    return f"{target}: {'met' if ok else 'MISSED'}"


def speed_rows(go, berth):
    print("Processor time of the calling thread, best run. One call each; a call that moves n pods is one call.\n")
    print(f"{'':40}{'pods':>10}{'ns per call':>26}{'calls per second':>28}{'ratio':>10}")
    print(f"{'':50}{'kube-scheduler':>16}{'Berth':>10}{'kube-scheduler':>16}{'Berth':>12}")
    for (item, pods), ours in berth.items():
        if "ns" not in ours:
            continue
        theirs = go.get((item, pods))
        row = f"{item:40}{pods:>10,}"
        if theirs is None:
            print(f"{row}{'left out':>16}{number(ours['ns_per_call']):>10}{'':16}{1e9 / ours['ns_per_call']:>12,.0f}")
            continue
        if theirs["order"] != ours["order"]:
            sys.exit(f"{item} of {pods} pods: the two queues popped in different orders")
        ratio = theirs["ns_per_call"] / ours["ns_per_call"]
        target = ""
        if pods == TARGET_PODS and item in SPEED_TARGETS:
            target = "  " + verdict(ratio >= SPEED_TARGETS[item], f"at least {SPEED_TARGETS[item]}x")
        print(f"{row}{number(theirs['ns_per_call']):>16}{number(ours['ns_per_call']):>10}"
              f"{1e9 / theirs['ns_per_call']:>16,.0f}{1e9 / ours['ns_per_call']:>12,.0f}{ratio:>9,.1f}x{target}")
    costs = [line["ns_per_call"] for (item, pods), line in berth.items()
             if item == INDIFFERENT_EVENT and pods <= TARGET_PODS]
    growth = max(costs) / min(costs)
    print(f"\nBerth, {INDIFFERENT_EVENT}: {growth:.2f}x from least to most pods parked,",
          verdict(growth <= MAX_GROWTH, f"at most {MAX_GROWTH}x"))


def value_rows(go, berth):
    print(f"\n{'':50}{'pods':>10}{'kube-scheduler':>16}{'Berth':>12}")
    for (item, pods), ours in berth.items():
        if "value" not in ours:
            continue
        theirs = go.get((item, pods))
        target = ""
        if item.startswith("bytes per pod"):
            target = "  " + verdict(ours["value"] < MAX_BYTES_PER_POD, f"under {MAX_BYTES_PER_POD}")
        print(f"{item:50}{pods:>10,}{number(theirs['value']) if theirs else '':>16}{number(ours['value']):>12}{target}")
    print("\nBytes are beyond the pod objects. For events in flight the column `pods` is the number of events.")


def main():
    go, berth = read(sys.argv[1]), read(sys.argv[2])
    speed_rows(go, berth)
    value_rows(go, berth)


main()
