"""``kakurenbo explain``: the tree that gh-tree grows on a table, node by node."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pandas as pd

from anonymizers.anonymizer import ParameterError
from anonymizers.engines.gh_tree.coding import Units
from anonymizers.engines.gh_tree.explain import NodeStory, candidate_splits, stories
from anonymizers.engines.gh_tree.partition import partition
from anonymizers.engines.gh_tree.release import coded_units, refuse_impossible
from anonymizers.parameters import checked
from anonymizers.release import CannotProtect
from anonymizers.table.gh_tree import GH_TREE, rule_of
from anonymizers.table_registry import check_columns
from kakurenbo.commands.anonymize import parsed_settings
from kakurenbo.commands.risk import read_table
from kakurenbo.main import UsageError

MOST = 63
"""Six levels of a tree: as much as a person wants to read."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", type=Path, metavar="TABLE", help="CSV file with a header")
    parser.add_argument("--id", required=True, metavar="COL", help="the column that identifies people")
    parser.add_argument("--qid", "--qi", required=True, metavar="COL,COL", help="the quasi-identifiers")
    parser.add_argument("--sensitive", default="", metavar="COL[,COL]", help="the sensitive columns")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="settings",
        help="a parameter of gh-tree, for example g=0.8",
    )  # fmt: skip
    parser.add_argument("--most", type=int, default=MOST, metavar="N", help=f"nodes shown (default: {MOST})")
    parser.add_argument("--json", action="store_true", help="print the nodes as JSON")


def run(arguments: argparse.Namespace) -> int:
    if arguments.most < 1:
        raise UsageError(f"--most: got {arguments.most}, expected a natural number from 1.")
    roles = {"id": arguments.id, "qid": arguments.qid, "sensitive": arguments.sensitive}
    columns = {
        role: [name.strip() for name in text.split(",") if name.strip()] for role, text in roles.items()
    }
    table = read_table(arguments.table)
    try:
        document = explained(table, columns, parsed_settings(arguments.settings), arguments.most)
    except (ParameterError, CannotProtect) as error:
        raise UsageError(str(error)) from error
    print(json.dumps(document, indent=2, ensure_ascii=False) if arguments.json else _as_text(document))
    return 0


def explained(
    table: pd.DataFrame, columns: dict[str, list[str]], settings: dict[str, str], most: int = MOST
) -> dict[str, Any]:
    """The first nodes of the tree, the root first, each with all splits that were considered."""
    check_columns(GH_TREE, table, columns)
    if table.empty:
        raise CannotProtect("gh-tree needs a table with at least one row. Got an empty table instead.")
    values = checked(GH_TREE.name, GH_TREE.parameters, settings)
    units = coded_units(
        GH_TREE.name, table, columns, together=True, orders=values["orders"], unordered=values["unordered"]
    )
    rule = rule_of(columns, values["g"], values["h"], values["l"])
    refuse_impossible(GH_TREE.name, units, rule)
    split = partition(units, rule)
    nodes = stories(units, split, most)
    return {
        "parameters": {name: values[name] for name in ("g", "h", "l")},
        "people": units.n_people,
        "records": len(table),
        "groups": split.n_groups,
        "nodes_of_the_tree": len(split.nodes),
        "nodes": [_node(number, story, units) for number, story in enumerate(nodes, start=1)],
    }


def _node(number: int, story: NodeStory, units: Units) -> dict[str, Any]:
    found: dict[str, Any] = {
        "node": number,
        "people": len(story.units),
        "records": int(units.weight[list(story.units)].sum()),
        "g": story.balance,
        "h": story.affiliation,
    }
    if not story.taken:
        return found
    return found | {
        "left": story.left + 1,
        "right": story.right + 1,
        "splits": [
            {
                "by": split.attribute if split.category is None else f"{split.attribute} = {split.category}",
                "people_left": len(split.left),
                "change": split.change,
                "variance": split.variance,
                "ratio": split.ratio,
                "taken": (split.attribute, split.category) == (story.taken, story.category),
            }
            for split in candidate_splits(units, story.units)
        ],
    }


def _as_text(document: dict[str, Any]) -> str:
    lines = [
        f"{document['people']} people with {document['records']} records in {document['groups']} groups; "
        f"{len(document['nodes'])} of {document['nodes_of_the_tree']} nodes",
    ]
    for node in document["nodes"]:
        leads = f"splits into {node['left']} and {node['right']}" if "splits" in node else "a group"
        lines += [
            "",
            f"node {node['node']}: {node['people']} people, {node['records']} records, "
            f"g {node['g']:.4f}, h {node['h']:.4f}, {leads}",
        ]
        if "splits" in node:
            lines.append(f"    {'split by':<24}{'left':>6}{'Δg':>9}{'variance':>10}{'Δg/variance':>13}")
        lines += [
            f"  {'→' if split['taken'] else ' '} {split['by']:<24}{split['people_left']:>6}"
            f"{split['change']:>9.4f}{split['variance']:>10.4f}{split['ratio']:>13.3f}"
            for split in node.get("splits", ())
        ]
    return "\n".join(lines)
