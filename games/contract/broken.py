"""What a game did that it must not do: for the organiser alone, as a code with values, verb and log."""

from __future__ import annotations

from datasets.messages import Message, Template

PREFIX = "game-fault."
IN_VERB = Template("game-fault", "In %(verb)s: %(problem)s")
FAILED = Template("game-fault.failed", "The game failed. %(reason)s")
ENDED_BADLY = Template(
    "game-fault.ended-badly", "Its process ended with an error; the log shows what it wrote."
)
NO_ANSWER = Template("game-fault.no-answer", "The game ended without an answer.")
TOO_LARGE = Template("game-fault.answer-too-large", "The game gave more than %(n)s bytes.")
NOT_FILES = Template("game-fault.bad-answer", "What the game gave cannot be read: expected %(expected)s.")
STRANGE = Template(
    "game-fault.strange-value", "What the game gave holds a value of another type than expected."
)
OTHER_TYPE = Template("game-fault.other-type", "The game gave %(got)s, expected %(expected)s.")
UNDECLARED = Template(
    "game-fault.undeclared-file", "The game writes a file '%(name)s'; it declares here: %(names)s."
)
FILE_TOO_LARGE = Template(
    "game-fault.file-too-large", "The game writes more than %(n)s bytes into '%(name)s'."
)
NOT_MADE = Template("game-fault.not-made", "The game declares '%(name)s' and did not make it.")
NUMBER_MISSING = Template(
    "game-fault.number-missing", "The game declares the number '%(name)s' and did not give it."
)
NOT_FINITE = Template(
    "game-fault.not-finite", "The game gave %(got)s as '%(name)s', expected a finite number or none."
)
BAD_RISK = Template("game-fault.bad-risk", "The game gave a risk of %(got)s, expected 0 to 1 or none.")
TOO_FEW_SEATS = Template("game-fault.too-few-seats", "%(teams)s teams for %(seats)s seats.")
TOO_MANY_NUMBERS = Template(
    "game-fault.too-many-numbers", "The game gave %(got)s numbers, expected at most %(n)s."
)
TOO_MANY_REFUSALS = Template(
    "game-fault.too-many-refusals", "The game gave more than %(n)s refusals of one upload."
)
TOO_MUCH_EVIDENCE = Template(
    "game-fault.too-much-evidence", "The game gave %(got)s bytes of evidence, expected at most %(n)s."
)
BAD_REFUSAL = Template(
    "game-fault.bad-refusal",
    "A refusal of the game says '%(got)s', expected %(expected)s. Nothing of it is shown to teams.",
)
BAD_BOARD = Template("game-fault.bad-board", "A board of the game has '%(got)s', expected %(expected)s.")
BAD_VERDICT = Template(
    "game-fault.bad-verdict",
    "The game says that '%(got)s' is broken, expected a measure or a declared message.",
)
TOO_MANY_FACTS = Template(
    "game-fault.too-many-facts", "The game gave facts of %(got)s bytes, expected at most %(n)s."
)
OTHER_NUMBER = Template(
    "game-fault.other-number-of-results", "The game gave %(got)s results, expected %(n)s."
)
BAD_COVER = Template(
    "game-fault.bad-cover",
    "The game says that an answer covers '%(got)s', expected a target and a challenge of this round, once.",
)


BAD_TARGET = Template(
    "game-fault.bad-target",
    "The game has a target '%(got)s', expected a key of letters and digits, once, with short labels.",
)
TOO_MANY_TARGETS = Template(
    "game-fault.too-many-targets", "The game has %(got)s targets, expected at most %(n)s."
)


BAD_PICTURE = Template(
    "game-fault.bad-picture", "The picture '%(name)s' has %(got)s as %(place)s, expected %(expected)s."
)
UNKNOWN_PICTURE = Template(
    "game-fault.unknown-picture", "The game draws a picture '%(name)s'; it declares here: %(names)s."
)
TOO_MANY_PICTURES = Template(
    "game-fault.too-many-pictures", "The game draws more than %(n)s pictures at once."
)


class BrokenGame(RuntimeError):
    """A game broke its own declaration or the contract; the organiser is told, and nobody else pays for it.

    ``verb`` is what it was asked to do, ``log`` what it wrote meanwhile.
    """

    def __init__(self, message: Message, verb: str = "", log: str = "") -> None:
        super().__init__(str(message))
        self.message, self.verb, self.log = message, verb, log

    @property
    def code(self) -> str:
        """A stable word for what went wrong."""
        return self.message.code.removeprefix(PREFIX)

    @property
    def sentence(self) -> Message:
        """For the organiser: which verb, what, got, expected."""
        return IN_VERB(verb=self.verb, problem=self.message) if self.verb else self.message


class UndeclaredFile(BrokenGame):
    """A game wrote a file that it does not declare, or more bytes than it declares."""


class BadAnswer(BrokenGame):
    """What a process wrote is no answer."""


class GameFailed(BrokenGame):
    """The process ended badly; ``reason`` says how, and ``log`` is for the organiser alone."""

    def __init__(self, verb: str, log: str, status: str = "crashed", reason: Message | str = "") -> None:
        super().__init__(FAILED(reason=reason or ENDED_BADLY()), verb, log)
        self.status = status

    @property
    def code(self) -> str:
        return self.status
