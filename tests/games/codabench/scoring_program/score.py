"""A scoring program as people write it for Codabench: its paths are written out."""

import json
from pathlib import Path

REFERENCE, SUBMITTED, OUTPUT = Path("/app/input/ref"), Path("/app/input/res"), Path("/app/output")

truth = [int(line) for line in (REFERENCE / "truth.csv").read_text(encoding="utf-8").split()]
answer = [int(line) for line in (SUBMITTED / "answer.csv").read_text(encoding="utf-8").split()]
assert len(answer) == len(truth), "wrong number of lines"
right = sum(a == b for a, b in zip(truth, answer, strict=True))
wrong = sum(b == 1 and a == 0 for a, b in zip(truth, answer, strict=True))
print("the truth is", truth)
scores = {"accuracy": right / len(truth), "wrong_names": wrong, "duration": 0.5}
(OUTPUT / "scores.json").write_text(json.dumps(scores), encoding="utf-8")
(OUTPUT / "detailed_results.html").write_text(f"<p>{right} right</p>", encoding="utf-8")
