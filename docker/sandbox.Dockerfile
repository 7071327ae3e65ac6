# What programs of teams see where KAKURENBO_SANDBOX is docker, podman or gvisor: Python and the offered
# libraries at the platform's own versions, nothing of the platform. Build it from the project's root:
#   docker build --file docker/sandbox.Dockerfile --tag kakurenbo-sandbox .
FROM python:3.11-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
COPY requirements/sandbox.lock /build/sandbox.lock
RUN python -m venv /opt/offered \
    && /opt/offered/bin/pip install --only-binary :all: --require-hashes --requirement /build/sandbox.lock

FROM python:3.11-slim-bookworm
ENV PATH=/opt/offered/bin:$PATH PYTHONDONTWRITEBYTECODE=1
RUN groupadd --gid 61001 program \
    && useradd --uid 61001 --gid program --no-create-home --shell /usr/sbin/nologin program
COPY --from=build /opt/offered /opt/offered
USER 61001:61001
CMD ["python3", "-c", "import numpy, pandas, scipy, sklearn"]
