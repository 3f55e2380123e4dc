"""Settings. What an installation may set comes from environment variables, read strictly."""

import os
from pathlib import Path
from typing import Any

from envcurate import environment
from envcurate.home import BASE_DIR, secret

DEBUG = environment.boolean("ENVCURATE_DEBUG", default=False)
SECRET_KEY = os.environ.get("ENVCURATE_SECRET_KEY") or secret("secret-key")
ALLOWED_HOSTS = [
    "localhost",
    "127.0.0.1",
    "[::1]",
    *environment.words("ENVCURATE_HOSTS", default=[]),
]
# Behind a proxy that speaks HTTPS, cookies travel over HTTPS only.
HTTPS = environment.boolean("ENVCURATE_HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
CSRF_TRUSTED_ORIGINS = [
    f"https://{host}" for host in environment.words("ENVCURATE_HOSTS", default=[]) if HTTPS
]
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
# Nothing comes from elsewhere and nothing runs inline; `data:` pictures are Plotly's.
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "rest_framework",
    "rest_framework.authtoken",
    "drf_spectacular",
    "django_htmx",
    "components",
    "triage",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "envcurate.middleware.ContentSecurityPolicy",
    "envcurate.middleware.NoNul",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "envcurate.urls"
WSGI_APPLICATION = "envcurate.wsgi.application"
ASGI_APPLICATION = "envcurate.asgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# Without an address, the services that come with Envcurate start at the first connection.
DATABASES: dict[str, dict[str, Any]] = {
    "default": environment.database("DATABASE_URL")
    or {"ENGINE": "envcurate.database", "NAME": "envcurate"},
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS: list[Path] = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "triage.pages.plotly.PlotlyFinder",
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
}
# Files are served from where they lie; `collectstatic` adds compressed copies for busy sites.
WHITENOISE_USE_FINDERS = True

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rest_framework.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.LimitOffsetPagination",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "PAGE_SIZE": 50,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Envcurate",
    "DESCRIPTION": "Broken environments, their causes, and what repairs them.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
}

# The database is the truth and Celery carries ids; so a message may be lost or come twice.
ENVCURATE_LEASE_SECONDS = environment.whole("ENVCURATE_LEASE_SECONDS", default=90)
# After these a task is killed; a lease has to last longer.
ENVCURATE_TASK_SECONDS = environment.whole("ENVCURATE_TASK_SECONDS", default=60)
ENVCURATE_RECONCILE_SECONDS = environment.whole("ENVCURATE_RECONCILE_SECONDS", default=15)
# Whether repairs are searched for by themselves after each round; empty = only when somebody asks.
ENVCURATE_PROPOSE = environment.choice("ENVCURATE_PROPOSE", ["after-rounds"])
CELERY_BROKER_URL = environment.broker("REDIS_URL")
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_RESULT_BACKEND = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 2 * ENVCURATE_LEASE_SECONDS}
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_TIME_LIMIT = ENVCURATE_TASK_SECONDS
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE = {
    "reconcile": {"task": "triage.tasks.reconcile", "schedule": ENVCURATE_RECONCILE_SECONDS},
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
}
