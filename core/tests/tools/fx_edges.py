"""Reads printed FX graphs with Python's own parser, to hold the Rust reader against.

Reads JSON strings, one a line: the texts. Writes one JSON line for each: a list of modules in the order of
the text, each {"name", "parent", "nodes"}; a node is [name, version, kind, target, inputs], an input
[name, version, argument]. Only the forms of `GraphModule.print_readable` and `GraphModule.code` are read;
a text that Python cannot parse gives {"error": …}. Standard library only.
"""

import ast
import json
import re
import sys

CLASS = re.compile(r"^(\s*)(?:\S.*\s)?class (\S+?)\(\S*Module\):\s*$")
COLOUR = re.compile("\x1b\\[[0-9;]*m")

MAGIC = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "floordiv", ast.Div: "truediv",
    ast.Mod: "mod", ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "and_",
    ast.BitOr: "or_", ast.BitXor: "xor", ast.MatMult: "matmul", ast.Eq: "eq", ast.NotEq: "ne",
    ast.Lt: "lt", ast.Gt: "gt", ast.LtE: "le", ast.GtE: "ge", ast.USub: "neg", ast.Invert: "invert",
    ast.UAdd: "pos",
}
IN_PLACE = {
    ast.Add: "iadd", ast.BitAnd: "iand", ast.FloorDiv: "ifloordiv", ast.LShift: "ilshift", ast.Mod: "imod",
    ast.Mult: "imul", ast.MatMult: "imatmul", ast.BitOr: "ior", ast.Pow: "ipow", ast.RShift: "irshift",
    ast.Sub: "isub", ast.Div: "itruediv", ast.BitXor: "ixor",
}


def python_of(text):
    """The graphs' part of a text, as Python, and the real names of its classes."""
    names, lines, inside, base = {}, [], False, None
    for line in COLOUR.sub("", text).split("\n"):
        bare = line.lstrip()
        indent = len(line) - len(bare)
        if bare.startswith("#"):
            continue
        found = CLASS.match(line)
        if found:
            # The name of a file may stand in front of the root.
            if not bare.startswith("class "):
                indent = 0
            if base is None:
                base = indent
            place = f"class_{len(names)}"
            names[place] = found[2]
            inside = True
            lines.append(" " * (indent - base) + f"class {place}:")
            continue
        if bare.startswith("def forward(") and not inside:
            inside = True
            if base is None:
                base = indent
        elif inside and bare and indent <= base and not bare.startswith(")"):
            inside = False
        if inside:
            lines.append(line[base:])
    if not lines:
        raise SyntaxError("no graph")
    return "\n".join(lines), names


def dotted(node):
    """`a.b.c` as a list, `getattr(self.a, "0").b` too."""
    parts = []
    while True:
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "getattr"
            and len(node.args) == 2
            and isinstance(node.args[1], ast.Constant)
        ):
            parts.append(str(node.args[1].value))
            node = node.args[0]
        elif isinstance(node, ast.Name):
            parts.append(node.id)
            return parts[::-1]
        else:
            return None


class Graph:
    def __init__(self, name, parent):
        self.name, self.parent, self.nodes = name, parent, []
        self.bound = {}
        self.versions = {}

    def bind(self, name, entry):
        if entry is not None and self.bound.get(name) is not entry:
            if name in self.bound:
                self.versions[name] = self.versions.get(name, 0) + 1
            entry[1] = self.versions.get(name, 0)
        self.bound[name] = entry

    def node(self, name, kind, target, inputs):
        entry = [name, 0, kind, target, inputs]
        self.nodes.append(entry)
        return entry

    def uses(self, tree, argument):
        """Names of nodes in the order of the text."""
        if tree is None:
            return []
        found = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in self.bound]
        found.sort(key=lambda n: (n.lineno, n.col_offset))
        return [[self.bound[n.id], argument] for n in found]

    def call(self, inputs, args, keywords, first):
        parts = [(a, first + at) for at, a in enumerate(args)] + [(k.value, k.arg) for k in keywords]
        for part, argument in sorted(parts, key=lambda p: (p[0].lineno, p[0].col_offset)):
            inputs += self.uses(part, argument)

    def value(self, value):
        """Kind, target and inputs of a right side."""
        if isinstance(value, ast.Call):
            path = dotted(value.func)
            if path and path[0] == "self":
                inputs = []
                self.call(inputs, value.args, value.keywords, 0)
                return "CallModule", ".".join(path[1:]), inputs
            if path and path[0] in self.bound:
                inputs = [[self.bound[path[0]], 0]]
                self.call(inputs, value.args, value.keywords, 1)
                return "CallMethod", ".".join(path[1:]), inputs
            if path and value.func and not (path == ["getattr"] and len(value.args) == 2):
                inputs = []
                self.call(inputs, value.args, value.keywords, 0)
                return "CallFunction", ".".join(path), inputs
        path = dotted(value)
        if path and len(path) > 1:
            if path[0] == "self":
                return "GetAttr", ".".join(path[1:]), []
            if path[0] in self.bound:
                return "CallFunction", "getattr", [[self.bound[path[0]], 0]]
        if isinstance(value, ast.Subscript):
            return "CallFunction", "operator.getitem", self.uses(value.value, 0) + self.uses(value.slice, 1)
        if isinstance(value, ast.BinOp):
            return (
                "CallFunction",
                "operator." + MAGIC[type(value.op)],
                self.uses(value.left, 0) + self.uses(value.right, 1),
            )
        if isinstance(value, ast.Compare) and len(value.ops) == 1 and type(value.ops[0]) in MAGIC:
            return (
                "CallFunction",
                "operator." + MAGIC[type(value.ops[0])],
                self.uses(value.left, 0) + self.uses(value.comparators[0], 1),
            )
        if isinstance(value, ast.UnaryOp) and type(value.op) in MAGIC:
            return "CallFunction", "operator." + MAGIC[type(value.op)], self.uses(value.operand, 0)
        return "Opaque", "", self.uses(value, 0)

    def forward(self, function):
        arguments = function.args
        all_args = arguments.posonlyargs + arguments.args + [arguments.vararg] + arguments.kwonlyargs
        for argument in [*all_args, arguments.kwarg]:
            if argument is not None and argument.arg != "self":
                self.bind(argument.arg, self.node(argument.arg, "Placeholder", argument.arg, []))
        declared = []
        body = list(function.body)
        while body:
            statement = body.pop(0)
            if isinstance(statement, ast.AnnAssign) and statement.value is None:
                declared.append(self.node(statement.target.id, "Placeholder", statement.target.id, []))
                continue
            if isinstance(statement, ast.With):
                self.node("", "Context", "", [u for i in statement.items for u in self.uses(i.context_expr, 0)])
                body = statement.body + body
                continue
            if isinstance(statement, (ast.Assign, ast.AnnAssign)):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                value = statement.value
                first = targets[0]
                if isinstance(first, ast.Tuple) and "tree_flatten_spec" in ast.dump(value):
                    for entry, _ in self.uses(value, 0):
                        entry[2] = "Parameter"
                    for entry in declared:
                        self.bind(entry[0], entry)
                    known = {entry[0] for entry in declared}
                    declared = []
                    for name in first.elts:
                        if name.id not in known:
                            self.bind(name.id, self.node(name.id, "Placeholder", name.id, []))
                    continue
                if isinstance(value, ast.Constant) and value.value is None:
                    continue
                if isinstance(first, ast.Subscript):
                    second = body.pop(0)
                    name = second.targets[0] if isinstance(second, ast.Assign) else second.target
                    inputs = self.uses(first.value, 0) + self.uses(first.slice, 1) + self.uses(value, 2)
                    self.bind(name.id, self.node(name.id, "CallFunction", "operator.setitem", inputs))
                    continue
                if isinstance(value, ast.Name):
                    entry = self.bound.get(value.id)
                    if entry is not None and entry[2] == "Placeholder" and entry[0] == entry[3]:
                        entry[0] = first.id
                        if first.id in self.bound:
                            self.versions[first.id] = self.versions.get(first.id, 0) + 1
                            entry[1] = self.versions[first.id]
                        else:
                            entry[1] = 0
                        self.bound[first.id] = entry
                        continue
                kind, target, inputs = self.value(value)
                self.bind(first.id, self.node(first.id, kind, target, inputs))
            elif isinstance(statement, ast.AugAssign):
                second = body.pop(0)
                name = second.targets[0] if isinstance(second, ast.Assign) else second.target
                inputs = self.uses(statement.target, 0) + self.uses(statement.value, 1)
                target = "operator." + IN_PLACE[type(statement.op)]
                self.bind(name.id, self.node(name.id, "CallFunction", target, inputs))
            elif isinstance(statement, ast.Return):
                value = statement.value
                if isinstance(value, ast.Call) and dotted(value.func) == ["pytree", "tree_unflatten"]:
                    value = value.args[0]
                inputs = []
                if isinstance(value, (ast.Tuple, ast.List)):
                    for at, item in enumerate(value.elts):
                        inputs += self.uses(item, at)
                elif isinstance(value, ast.Dict):
                    for at, (key, item) in enumerate(zip(value.keys, value.values)):
                        inputs += self.uses(key, at) + self.uses(item, at)
                else:
                    inputs += self.uses(value, 0)
                self.node("output", "Output", "", inputs)
            elif isinstance(statement, ast.Pass):
                pass
            else:
                self.node("", "Opaque", "", self.uses(statement, 0))

    def finished(self):
        for entry in self.nodes:
            entry[3] = entry[3].removeprefix("torch.ops.")
            entry[4] = [[of[0], of[1], str(argument)] for of, argument in entry[4]]
        return {"name": self.name, "parent": self.parent, "nodes": self.nodes}


def read(text):
    source, names = python_of(text)
    graphs = []
    stack = [(tree, None) for tree in reversed(ast.parse(source).body)]
    while stack:
        tree, parent = stack.pop()
        if isinstance(tree, ast.ClassDef):
            graphs.append(Graph(names[tree.name], parent))
            place = len(graphs) - 1
            for inner in tree.body:
                if isinstance(inner, ast.FunctionDef) and inner.name == "forward":
                    graphs[place].forward(inner)
            stack += [(inner, place) for inner in reversed(tree.body) if isinstance(inner, ast.ClassDef)]
        elif isinstance(tree, ast.FunctionDef) and tree.name == "forward":
            graphs.append(Graph("", parent))
            graphs[-1].forward(tree)
    return [graph.finished() for graph in graphs]


def main():
    for line in sys.stdin:
        try:
            answer = read(json.loads(line))
        except (SyntaxError, KeyError, AttributeError, IndexError) as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer))


if __name__ == "__main__":
    main()
