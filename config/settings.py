"""One settings file. Everything that differs between installations comes from the environment."""

from __future__ import annotations

import secrets
from datetime import timedelta
from importlib import metadata
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _
from kombu import Exchange, Queue
from kombu.transport import TRANSPORT_ALIASES

from config import environment as env
from config import oidc
from contest.operations.processes import MACHINES

BASE_DIR = Path(__file__).resolve().parent.parent
VAR = env.data_folder(BASE_DIR)
VERSION = metadata.version("kakurenbo")

PRODUCTION = env.flag("PRODUCTION")
DEBUG = env.flag("DEBUG")
if PRODUCTION and DEBUG:
    raise ImproperlyConfigured("KAKURENBO_DEBUG must not be set in production.")
ROLE = env.role()
SECRET_KEY = secrets.token_urlsafe(48) if ROLE == "attacks" else env.secret_key(VAR, PRODUCTION)
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "" if PRODUCTION else "localhost,127.0.0.1,[::1],testserver")
if PRODUCTION and ROLE != "attacks" and (not ALLOWED_HOSTS or "*" in ALLOWED_HOSTS):
    raise ImproperlyConfigured("KAKURENBO_ALLOWED_HOSTS must name the site's host names in production.")
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")
SITE_URL = env.text("SITE_URL", "http://127.0.0.1:8000")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "axes",
    "contest",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "contest.middleware.RequestLog",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "contest.middleware.ContentSecurityPolicy",
    "contest.middleware.UnchangedBoards",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "contest.middleware.UnreadRequests",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "contest.middleware.Surroundings",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "contest.context.site",
            ],
        },
    }
]

if PRODUCTION and not env.text("DATABASE_URL"):
    raise ImproperlyConfigured(
        "KAKURENBO_DATABASE_URL must be set in production, to postgresql://… or sqlite:…."
    )
DATABASES = {"default": env.database(env.text("DATABASE_URL"), VAR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHES = {"default": env.cache(env.text("CACHE_URL"))}

# Three stores. `entries` holds what attackers may read, `attacks` what they hand in, `vault` uploads and
# truths: only contest/files/vault.py opens it, and a machine that only attacks has none.
FILES = VAR / "files"
STORAGES = {
    "default": {
        "BACKEND": "contest.files.storage.AtomicFileStorage",
        "OPTIONS": {"location": FILES / "public"},
    },
    "entries": env.store("entries", VAR),
    "attacks": env.store("attacks", VAR),
    "vault": {"BACKEND": "contest.files.storage.ClosedStorage"}
    if ROLE == "attacks"
    else env.store("vault", VAR),
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
STATIC_URL = "/static/"
STATIC_ROOT = Path(env.text("STATIC", str(VAR / "static")))
# Everything in the data folder is private, also the copies of public files; the process's umask sets it.
FILE_UPLOAD_PERMISSIONS = None if VAR in STATIC_ROOT.parents else 0o644
UPLOAD_MAX_BYTES = env.number("UPLOAD_MAX_MEGABYTES", 64, low=1) * 1024 * 1024
# A request holds the fields of a form beside the file.
REQUEST_MAX_BYTES = UPLOAD_MAX_BYTES + 1024 * 1024
# How many connections a web process holds, and how much of the disk the bodies of their requests may take.
CONNECTIONS = env.number("CONNECTIONS", 2000, low=10)
BODIES_MAX_BYTES = env.number("BODIES_MAX_MEGABYTES", 512, low=1) * 1024 * 1024
# With less space than this for its files, a process reports that it is not ready.
DISK_MIN_FREE_BYTES = env.number("DISK_MIN_FREE_MEGABYTES", 256) * 1024 * 1024
# How long a request may take to arrive, and how long its sender may be silent meanwhile.
REQUEST_SECONDS = env.number("REQUEST_SECONDS", 300, low=1)
SILENCE_SECONDS = env.number("SILENCE_SECONDS", 30, low=1)
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024

AUTH_USER_MODEL = "contest.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
# An address that failed this often with one name waits before it tries that name again; with all names,
# before it tries any. A name is never locked, or its owner would be shut out: while it is guessed at from
# many addresses, each that is new to it has fewer tries. Programs use tokens and are not affected.
LOGIN_FAILURES = env.number("LOGIN_FAILURES", 10, low=1)
LOGIN_FAILURES_PER_ADDRESS = env.number("LOGIN_FAILURES_PER_ADDRESS", 50, low=1)
LOGIN_FAILURES_PER_NAME = env.number("LOGIN_FAILURES_PER_NAME", 100, low=1)
LOGIN_FAILURES_NARROWED = 2
AXES_FAILURE_LIMIT = "contest.services.password_guesses.failure_limit"
AXES_COOLOFF_TIME = timedelta(minutes=env.number("LOGIN_COOLOFF_MINUTES", 15, low=1))
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_CLIENT_IP_CALLABLE = "contest.client_address.client_network"
AXES_USERNAME_FORM_FIELD = "username"
AXES_USERNAME_CALLABLE = "contest.client_address.client_name"
AXES_LOCKOUT_CALLABLE = "contest.client_address.locked_out"
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
KNOCKS_AN_HOUR = env.number("KNOCKS_AN_HOUR", 30, low=1)
# Sites where people may log in besides here; an attack machine has no visitors.
OIDC_PROVIDERS = {} if ROLE == "attacks" else oidc.providers()
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("ja", _("Japanese"))]
LOCALE_PATHS = [BASE_DIR / "contest" / "locale"]
USE_TZ = True
TIME_ZONE = "UTC"

# Without a mail server e-mails are put into a folder, and the pages say so.
SMTP_URL = env.text("SMTP_URL")
MAIL_FOLDER = None if SMTP_URL else VAR / "mail"
globals().update(env.mail(SMTP_URL, VAR / "mail"))
MUST_CONFIRM_EMAIL = env.flag("MUST_CONFIRM_EMAIL", bool(SMTP_URL))
DEFAULT_FROM_EMAIL = env.text("FROM_EMAIL", "kakurenbo@localhost")

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_ENGINE = "django.contrib.sessions.backends.db"
SESSION_SERIALIZER = "django.contrib.sessions.serializers.JSONSerializer"
if PRODUCTION:
    SECURE_SSL_REDIRECT = env.flag("SSL_REDIRECT", True)
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 31536000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    # Probes come from the machine itself or the monitoring, without TLS.
    SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
    # A browser's list of HTTPS hosts is for the owner of the domain to join, not for this program.
    SILENCED_SYSTEM_CHECKS = ["security.W021"]
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True

# The job table is the source of truth and a message only wakes a worker: a lost one costs seconds, not work.
TRANSPORT_ALIASES["files"] = "config.filebroker:Transport"
CELERY_BROKER_URL = env.broker(ROLE, PRODUCTION)
CELERY_BROKER_TRANSPORT_OPTIONS = env.transport_options(CELERY_BROKER_URL, VAR)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_SEND_TASK_EVENTS = False
# Machines of different trust exchange JSON and nothing else: unpickling obeys the sender.
CELERY_TASK_SERIALIZER = CELERY_RESULT_SERIALIZER = CELERY_EVENT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = CELERY_RESULT_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
QUEUE_PREFIX = env.text("QUEUE_PREFIX")
CELERY_TASK_DEFAULT_QUEUE = f"{QUEUE_PREFIX}checks"
# Messages go to a queue by its name: there is no table of bindings that one machine writes and others obey.
CELERY_TASK_DEFAULT_EXCHANGE = ""
CELERY_TASK_QUEUES = [
    # An attack machine may not create queues: the sender has, or docker/rabbitmq-users.sh.
    Queue(QUEUE_PREFIX + name, Exchange(""), routing_key=QUEUE_PREFIX + name, no_declare=ROLE == "attacks")
    for queues in MACHINES.values()
    for name in queues
]

# How many of our own proxies write X-Forwarded-For; anything before them can be forged.
PROXIES = env.number("PROXIES", 0, low=0)
API_RATES = {
    "anonymous": env.text("API_RATE_ANONYMOUS", "120/min"),
    "token": env.text("API_RATE_TOKEN", "600/min"),
    "write": env.text("API_RATE_WRITE", "60/min"),
    "unknown-token": env.text("API_RATE_UNKNOWN_TOKEN", "60/min"),
}
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["contest.api.authentication.TokenAuthentication"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["contest.api.parsers.JsonParser", "rest_framework.parsers.MultiPartParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "contest.api.parsers.AlwaysJson",
    "DEFAULT_THROTTLE_CLASSES": ["contest.api.throttles.Throttle"],
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "contest.api.errors.handle",
    "URL_FORMAT_OVERRIDE": None,
    "NUM_PROXIES": PROXIES,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Kakurenbo",
    "DESCRIPTION": "Hide people in data, hunt for people in the data of others.",
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "AttackKind": "contest.models.attack.Attack.Kind",
        "JobKind": "contest.models.job.Job.Kind",
        "PhaseKind": "contest.models.phase.Phase.Kind",
        "EntryState": "contest.models.entry.Entry.State",
        "AttackRunState": "contest.models.attack.AttackRun.State",
        "JobState": "contest.models.job.Job.State",
        "QuestionAudience": "contest.models.question.Question.Audience",
        "OrderState": "contest.models.team_order.TeamOrder.State",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "contest.api.document.add_errors",
    ],
}

EVERYBODY_ORGANISES = env.flag("EVERYBODY_ORGANISES")
# News goes to the open network only, unless the receivers are in the organisers' own.
WEBHOOKS_MAY_REACH_PRIVATE = env.flag("WEBHOOKS_MAY_REACH_PRIVATE")
SANDBOX = env.text("SANDBOX", "auto")
# Where no control group counts what a program uses, a stranger's could take the machine's memory. A trial on
# your own machine may run it; production and attack machines do so only where the organiser allows it.
ACCEPT_UNCOUNTED_PROGRAMS = env.flag(
    "ACCEPT_UNCOUNTED_PROGRAMS", default=not PRODUCTION and ROLE != "attacks"
)
JOB_LEASE_SECONDS = env.number("JOB_LEASE_SECONDS", 30, low=1)
JOB_MAX_ATTEMPTS = env.number("JOB_MAX_ATTEMPTS", 5, low=1)
JOB_RING_SECONDS = env.number("JOB_RING_SECONDS", 20, low=1)
SWEEP_SECONDS = env.number("SWEEP_SECONDS", 2, low=1)
HEARTBEAT_SECONDS = env.number("HEARTBEAT_SECONDS", 10, low=1)
HEARTBEAT_LATE_SECONDS = env.number("HEARTBEAT_LATE_SECONDS", 60, low=2)
WORKER_STOP_SECONDS = env.number("WORKER_STOP_SECONDS", 10, low=1)
METRICS_TOKEN = env.text("METRICS_TOKEN")
METRICS_ADDRESSES = env.words("METRICS_ADDRESSES")

LOG_FORMAT = env.text("LOG_FORMAT", "json" if PRODUCTION else "line")
if LOG_FORMAT not in {"json", "line"}:
    raise ImproperlyConfigured(f"KAKURENBO_LOG_FORMAT must be json or line. Got {LOG_FORMAT!r} instead.")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"redact": {"()": "contest.logs.Redact"}},
    "formatters": {
        "line": {
            "()": "contest.logs.LineFormatter",
            "format": "%(asctime)s %(levelname)s %(name)s: %(message)s",
        },
        "json": {"()": "contest.logs.Json"},
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["redact"]}
    },
    "root": {"handlers": ["console"], "level": env.text("LOG_LEVEL", "INFO")},
    "loggers": {
        "celery": {"level": "WARNING"},
        # A line for each request that waits for a thread would make a busy moment busier.
        "waitress.queue": {"level": "ERROR"},
        # On a terminal, one line per request would bury what matters.
        "contest.requests": {"level": "INFO" if LOG_FORMAT == "json" else "WARNING"},
        # Django's own handler would print the same line again, with the secrets in it.
        "django": {"handlers": [], "propagate": True},
        "django.server": {"handlers": ["console"], "propagate": False},
    },
}
