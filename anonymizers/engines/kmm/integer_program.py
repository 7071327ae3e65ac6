"""Integer programs: built row by row, started from a known solution, stopped by time or by the user."""

from __future__ import annotations

import signal
import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from anonymizers.engines.kmm.cbc import Answer, solved_by_cbc
from anonymizers.engines.kmm.problem import Floats

AMPLE_SECONDS = 3600.0
"""Never reached by programs that a limit of work ends, so that results can be repeated."""
TOLERANCE = 1e-5
"""What is this close to a whole number is one."""


@dataclass(eq=False)
class Program:
    """min c·x, rows between bounds, variables from 0 to their upper bound.

    Variables that are not declared whole must be so at every vertex once the others are fixed, as the moves
    of a flow are: the solver then branches on the others alone.
    """

    costs: list[float] = field(default_factory=list)
    uppers: list[float] = field(default_factory=list)
    wholes: list[bool] = field(default_factory=list)
    lows: list[float] = field(default_factory=list)
    highs: list[float] = field(default_factory=list)
    begins: list[int] = field(default_factory=lambda: [0])
    columns: list[int] = field(default_factory=list)
    factors: list[float] = field(default_factory=list)

    def variable(self, cost: float, upper: float = 1.0, whole: bool = True) -> int:
        self.costs.append(cost)
        self.uppers.append(upper)
        self.wholes.append(whole)
        return len(self.costs) - 1

    def constrain(self, terms: list[tuple[int, float]], low: float, high: float) -> None:
        self.columns += [column for column, _ in terms]
        self.factors += [factor for _, factor in terms]
        self.begins.append(len(self.columns))
        self.lows.append(low)
        self.highs.append(high)

    def solve(
        self, start: Floats | None, seconds: float, gap: float, nodes: int = 0, enough: float = np.inf
    ) -> Answer:
        """Solve to a relative gap by HiGHS, or by CBC where HiGHS is absent.

        A warm start is given by the values of all variables. ``nodes`` limits the branches that are looked at
        (0: no limit); a lower bound of ``enough`` ends the work. CBC goes without these three.
        """
        try:
            import highspy
        except ImportError:
            return solved_by_cbc(self, seconds, gap)
        return self._solved_by_highs(highspy, start, seconds, gap, nodes, enough)

    def _solved_by_highs(
        self, highspy: Any, start: Floats | None, seconds: float, gap: float, nodes: int, enough: float
    ) -> Answer:
        solver = quiet_highs(highspy, seconds)
        solver.setOptionValue("mip_rel_gap", gap)
        if nodes:
            solver.setOptionValue("mip_max_nodes", nodes)
            # What takes most of a short search and hardly finds anything in it.
            for dear in (
                "mip_allow_restart",
                "mip_heuristic_run_rins",
                "mip_heuristic_run_root_reduced_cost",
            ):
                solver.setOptionValue(dear, False)
        model = self.model(highspy)
        kinds = highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger
        model.integrality_ = [kinds[whole] for whole in self.wholes]
        solver.passModel(model)
        if start is not None:
            known = highspy.HighsSolution()
            known.col_value = start.tolist()
            solver.setSolution(known)
        interrupted = run(solver, highspy, enough)
        info = solver.getInfo()
        values: npt.NDArray[np.float64] | None = None
        if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
            values = self._at_vertex(highspy, np.asarray(solver.getSolution().col_value))
        status = solver.getModelStatus()
        if status == highspy.HighsModelStatus.kInfeasible:
            return Answer(None, np.inf, True)
        bound = info.mip_dual_bound if np.isfinite(info.mip_dual_bound) else -np.inf
        finished = status == highspy.HighsModelStatus.kOptimal or bound >= enough
        return Answer(values, float(bound), finished, interrupted)

    def _at_vertex(self, highspy: Any, values: Floats) -> Floats:
        """The same where all is whole already; else what a vertex with these whole variables says."""
        if np.abs(values - np.round(values)).max(initial=0.0) < TOLERANCE:
            return values
        whole = np.array(self.wholes)
        solver = quiet_highs(highspy, AMPLE_SECONDS)
        model = self.model(highspy)
        model.col_lower_ = np.where(whole, np.round(values), 0.0)
        model.col_upper_ = np.where(whole, np.round(values), self.uppers)
        solver.passModel(model)
        solver.run()
        return np.asarray(solver.getSolution().col_value)

    def model(self, highspy: Any) -> Any:
        """The program for HiGHS, all variables continuous."""
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = len(self.costs), len(self.lows)
        model.col_cost_, model.col_lower_ = np.array(self.costs), np.zeros(len(self.costs))
        model.col_upper_ = np.array(self.uppers)
        model.row_lower_, model.row_upper_ = np.array(self.lows), np.array(self.highs)
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = np.array(self.begins, dtype=np.int32)
        model.a_matrix_.index_ = np.array(self.columns, dtype=np.int32)
        model.a_matrix_.value_ = np.array(self.factors)
        return model


def has_highs() -> bool:
    """Whether HiGHS is on this machine."""
    try:
        import highspy  # noqa: F401 - only its presence counts
    except ImportError:
        return False
    return True


def quiet_highs(highspy: Any, seconds: float) -> Any:
    """A solver on one thread that prints nothing."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("time_limit", float(seconds))
    return solver


def run(solver: Any, highspy: Any, enough: float = np.inf) -> bool:
    """Solve; enough of a bound or the first Ctrl-C ends it. Whether there was a Ctrl-C."""
    stopped: list[int] = []

    def look(_kind: Any, _message: str, out: Any, into: Any, _data: Any) -> None:
        if stopped or out.mip_dual_bound >= enough:
            into.user_interrupt = True

    solver.setCallback(look, None)
    solver.startCallback(highspy.cb.HighsCallbackType.kCallbackMipInterrupt)
    solver.startCallback(highspy.cb.HighsCallbackType.kCallbackSimplexInterrupt)
    if threading.current_thread() is not threading.main_thread():
        solver.run()
        return False
    before = signal.signal(signal.SIGINT, lambda number, _frame: stopped.append(number))
    try:
        solver.run()
    finally:
        signal.signal(signal.SIGINT, before)
    return bool(stopped)
