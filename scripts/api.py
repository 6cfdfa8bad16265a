"""Turns a synthesized Swift interface into a stable list: no comments, sorted, one block for each type."""

import re
import sys


def by_name(header):
    """The name of the type first, so that a changed modifier does not move its block."""
    name = re.search(r"\b(?:actor|class|enum|extension|protocol|struct) ([^ :<]+)", header)
    return (name.group(1) if name else header, header)


class Block:
    """A declaration with the members that stand in its braces."""

    def __init__(self):
        self.lines = set()
        self.blocks = {}

    def write(self, indentation, out):
        for line in sorted(self.lines):
            out.append(indentation + line)
        for header in sorted(self.blocks, key=by_name):
            out.append(f"{indentation}{header} {{")
            self.blocks[header].write(indentation + "    ", out)
            out.append(indentation + "}")


def parse(lines, module):
    root = Block()
    stack = [root]
    attributes = ""
    for line in lines:
        line = line.strip()
        if not line or line.startswith("//") or re.match(r"(@\w+ )*((public|package|internal) )?import ", line):
            continue
        line = re.sub(rf"\b{module}\.(?=[A-Z])", "", line).replace(" : ", ": ")
        if line.startswith("@") and re.fullmatch(r"(@\w+(\([^()]*\))? ?)+", line):
            attributes += line + " "
            continue
        if line == "}":
            stack.pop()
        elif line.endswith("{"):
            header = attributes + line[:-1].rstrip()
            stack.append(stack[-1].blocks.setdefault(header, Block()))
            attributes = ""
        else:
            stack[-1].lines.add(attributes + line)
            attributes = ""
    if len(stack) != 1 or attributes:
        sys.exit(f"{module}: the interface does not close all its braces")
    return root


def main():
    module = sys.argv[1]
    root = parse(sys.stdin, module)
    out = [f"The public surface of {module}. Made by `make api`; CI compares it with the code.", ""]
    root.write("", out)
    print("\n".join(out))


main()
