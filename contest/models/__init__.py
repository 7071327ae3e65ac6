"""The nouns of a contest. Rows are changed only by the services."""

from contest.models.account import AccountToken, Identity, Knock, LogIn, Mail
from contest.models.announcement import Announcement, AnnouncementMail
from contest.models.api_token import ApiToken
from contest.models.attack import Attack, AttackRun
from contest.models.audit import AuditChain, AuditEvent
from contest.models.award import Award
from contest.models.commitment import Commitment
from contest.models.contest import Contest, Organiser
from contest.models.dataset import Dataset
from contest.models.entry import Entry
from contest.models.game_package import GamePackage
from contest.models.heartbeat import Heartbeat
from contest.models.house_order import HouseOrder
from contest.models.illustration import Illustration
from contest.models.job import Job
from contest.models.notification import Notification, NotificationChoice
from contest.models.phase import Phase
from contest.models.portrait import Portrait
from contest.models.question import Question
from contest.models.reminder import Reminder
from contest.models.rescore import Rescore
from contest.models.reveal import Reveal
from contest.models.round import Round
from contest.models.score import Score
from contest.models.sealed import Sealed
from contest.models.seat import Seat
from contest.models.signal import Signal
from contest.models.standing import Standing
from contest.models.still_board import StillBoard
from contest.models.stored_board import StoredBoard
from contest.models.team import Invitation, Membership, Team
from contest.models.team_order import TeamOrder
from contest.models.trial import Trial
from contest.models.user import User
from contest.models.webhook import Delivery, Webhook

__all__ = [
    "AccountToken",
    "Announcement",
    "AnnouncementMail",
    "ApiToken",
    "Attack",
    "AttackRun",
    "AuditChain",
    "AuditEvent",
    "Award",
    "Commitment",
    "Contest",
    "Dataset",
    "Delivery",
    "Entry",
    "GamePackage",
    "Heartbeat",
    "HouseOrder",
    "Identity",
    "Illustration",
    "Invitation",
    "Job",
    "Knock",
    "LogIn",
    "Mail",
    "Membership",
    "Notification",
    "NotificationChoice",
    "Organiser",
    "Phase",
    "Portrait",
    "Question",
    "Reminder",
    "Rescore",
    "Reveal",
    "Round",
    "Score",
    "Sealed",
    "Seat",
    "Signal",
    "Standing",
    "StillBoard",
    "StoredBoard",
    "Team",
    "TeamOrder",
    "Trial",
    "User",
    "Webhook",
]
