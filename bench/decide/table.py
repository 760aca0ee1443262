"""table.py GO BERTH: the result lines of decidebench and bench-decide as one table, with ratios and targets.

Fails if the two decided differently, because then they did not do the same work."""
import json
import sys

TARGET_NODES = 5_000
GROWTH_FROM, GROWTH_TO = 1_000, 20_000
# The least ratio of speeds at TARGET_NODES, Berth's against one goroutine's, by item and kind.
TARGETS = {("seen", kind): 500 if kind == "plain" else 200
           for kind in ("plain", "spread", "affine", "anti-affine", "mixed")}
TARGETS |= {("new", kind): 20 for kind in ("plain", "spread", "affine", "anti-affine", "mixed")}
TITLES = {
    "seen": "Class seen before",
    "new": "Class never seen before",
    "rejected": "Rejected, as was a pod of the class just before",
    "rejected and told": "The same with the message why",
}


def read(path, keys):
    """Key -> the best line; lines of one key must agree on the outcome."""
    results = {}
    for text in open(path):
        line = json.loads(text)
        key = tuple(line.get(name) for name in keys)
        if "ns" in line:
            line["ns_per_decision"] = line["ns"] / line["decisions"]
        best = results.setdefault(key, line)
        for field in ("order", "orders"):
            if best.get(field) != line.get(field):
                sys.exit(f"{path}: {key}: two runs decided differently")
        if line.get("ns_per_decision", 0) < best.get("ns_per_decision", 0):
            results[key] = line
    return results


def rate(line):
    return 1e9 / line["ns_per_decision"]


def number(value):
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def verdict(ok, target):
    return f"  {target}: {'met' if ok else 'MISSED'}"


def speed_rows(go, berth):
    print("Decisions per second, fastest round. kube-scheduler: with one goroutine the lesser of wall and processor"
          "\ntime, with 16 wall time; Berth: processor time of its one thread. The ratio is against one goroutine.")
    title = None
    for (item, kind, nodes), ours in berth.items():
        one, sixteen = go.get((item, kind, nodes, 1)), go.get((item, kind, nodes, 16))
        if one is None:
            continue
        if title != (nodes, item):
            title = (nodes, item)
            print(f"\n{TITLES[item] + f', {nodes:,} nodes':62}{'kube-scheduler':>15}{'with 16':>10}{'Berth':>12}"
                  f"{'us each':>10}{'ratio':>10}")
        for theirs in filter(None, (one, sixteen)):
            if theirs["order"] != ours["orders"][theirs["decisions"] - 1]:
                sys.exit(f"{item}, {kind}, {nodes} nodes: the two decided differently")
        ratio = one["ns_per_decision"] / ours["ns_per_decision"]
        note = ""
        if nodes == TARGET_NODES and (item, kind) in TARGETS:
            note = verdict(ratio >= TARGETS[item, kind], f"at least {TARGETS[item, kind]}x")
        if item == "seen" and ours["full_evaluations_per_decision"] > 0:
            note += f"  {ours['full_evaluations_per_decision']:.0%} evaluated anew"
        print(f"    {kind:58}{number(rate(one)):>15}{number(rate(sixteen)) if sixteen else '':>10}{rate(ours):>12,.0f}"
              f"{number(ours['ns_per_decision'] / 1000):>10}{ratio:>9,.0f}x{note}")


def growth_rows(go, berth):
    if not any(nodes == GROWTH_TO for _, _, nodes in berth):
        return
    title = f"Cost of a decision, {GROWTH_TO:,} nodes against {GROWTH_FROM:,}"
    print(f"\n{title:62}{'kube-scheduler':>15}{'Berth':>22}")
    for (item, kind, nodes), ours in berth.items():
        small, their_small = berth.get((item, kind, GROWTH_FROM)), go.get((item, kind, GROWTH_FROM, 1))
        theirs = go.get((item, kind, nodes, 1))
        if nodes != GROWTH_TO or None in (small, their_small, theirs):
            continue
        print(f"    {f'{item}, {kind}':58}{theirs['ns_per_decision'] / their_small['ns_per_decision']:>14.1f}x"
              f"{ours['ns_per_decision'] / small['ns_per_decision']:>21.1f}x")


def value_rows(go, berth):
    print(f"{'':40}{'nodes':>10}{'pods':>10}{'kube-scheduler':>16}{'Berth':>12}{'ratio':>10}")
    for (item, nodes, pods), ours in berth.items():
        theirs = go[item, nodes, pods]["value"]
        print(f"{item:40}{nodes:>10,}{pods:>10,}{number(theirs):>16}{number(ours['value']):>12}"
              f"{theirs / ours['value']:>9.1f}x")


def main():
    if "value" in json.loads(open(sys.argv[2]).readline()):
        keys = ("item", "nodes", "pods")
        value_rows(read(sys.argv[1], keys), read(sys.argv[2], keys))
        return
    go = read(sys.argv[1], ("item", "kind", "nodes", "goroutines"))
    berth = read(sys.argv[2], ("item", "kind", "nodes"))
    berth = dict(sorted(berth.items(), key=lambda entry: (entry[0][2], list(TITLES).index(entry[0][0]))))
    speed_rows(go, berth)
    growth_rows(go, berth)


main()
