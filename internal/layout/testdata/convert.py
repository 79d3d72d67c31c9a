"""Writes the tables of this folder from the two JSON files of recorded answers (see README.md).

argv: layout_vectors.json dsl_vectors.json output-folder
"""
import json
import sys


def answer(c):
    if "error" in c:
        return "crash" if str(c.get("why", "")).startswith("crash") else "refused"
    out = c["out"]
    return "&".join("%s=%s" % kv for kv in out.items()) if isinstance(out, dict) else str(out)


def write(path, rows):
    """rows: (heading, columns); one heading before each run of rows that share it."""
    with open(path, "w") as f:
        last = None
        for heading, columns in rows:
            if heading != last:
                f.write("@" + heading + "\n")
                last = heading
            assert not any("\t" in c or "\n" in c for c in columns)
            f.write("\t".join(columns) + "\n")


def main():
    with open(sys.argv[1]) as f:
        layout = json.load(f)
    with open(sys.argv[2]) as f:
        dsl = json.load(f)
    dir = sys.argv[3]
    write(dir + "/agreed.txt", [(c["op"], c["in"] + [answer(c), c.get("law", "none")]) for c in layout["cases"]])
    order = sorted(layout["disagreements"], key=lambda c: (c["class"], c["op"], c["id"]))
    write(dir + "/differing.txt", [
        (c["class"] + " " + c["op"], c["in"] + [x for who in ("dsl", "pycute")
                                                for x in (answer(c[who]), c[who].get("law", "none"))]) for c in order])
    order = sorted(enumerate(dsl), key=lambda p: (p[1]["group"], p[1]["op"], p[0]))
    for name, atoms in (("package.txt", False), ("atoms.txt", True)):
        write(dir + "/" + name, [(c["group"] + " " + c["op"], c["in"] + [answer(c)]) for _, c in order
                                 if (c["group"] in ("mma", "wgmma", "copy") or "partition_" in c["op"]
                                     and c["op"][:15] != "local_partition") == atoms])


main()
