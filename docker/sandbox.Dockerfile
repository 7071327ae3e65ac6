# What programs of teams see where KAKURENBO_SANDBOX is docker, podman or gvisor: Python and the available
# libraries at the platform's own versions, nothing of the platform. `make image` builds it.
ARG BASE=python:3.11-slim-bookworm

FROM ${BASE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
COPY requirements/sandbox.lock /build/sandbox.lock
# The secret `pip` is the pip.conf of a site with a registry or a certificate of its own; no layer holds it.
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    python -m venv /opt/tools \
    && python -m venv --without-pip /opt/offered \
    && /opt/tools/bin/pip --python /opt/offered/bin/python install \
       --only-binary :all: --require-hashes --requirement /build/sandbox.lock

FROM ${BASE}
ENV PATH=/opt/offered/bin:$PATH PYTHONDONTWRITEBYTECODE=1
RUN groupadd --gid 61001 program \
    && useradd --uid 61001 --gid program --no-create-home --shell /usr/sbin/nologin program \
    # Scoring programs that were written for Codabench look for everything below /app.
    && ln -s /tmp/app /app
COPY --from=build /opt/offered /opt/offered
USER 61001:61001
CMD ["python3", "-c", "import numpy, pandas, scipy, sklearn"]
