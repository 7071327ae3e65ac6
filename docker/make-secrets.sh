#!/bin/sh
# Makes the secret files that compose.yaml names, once; what exists is left alone.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
random() { python3 -c 'import secrets; print(secrets.token_urlsafe(48))'; }
keep() { [ -s "secrets/$1" ] || printf '%s\n' "$2" >"secrets/$1"; }
keep secret_key "$(random)"
keep metrics_token "$(random)"
keep database_password "$(random)"
keep attacks_password "$(random)"
keep redis_conf "requirepass $(random)"
redis=$(cut -d' ' -f2 secrets/redis_conf)
keep database_url "postgresql://kakurenbo:$(cat secrets/database_password)@database:5432/kakurenbo"
keep attacks_database_url "postgresql://kakurenbo_attacks:$(cat secrets/attacks_password)@database:5432/kakurenbo"
keep broker_url "redis://:$redis@redis:6379/0"
keep cache_url "redis://:$redis@redis:6379/1"
# Users inside the containers have other numbers than this one, so the files are readable and the folder closed.
chmod 0700 secrets
chmod 0444 secrets/*
echo "secrets are in docker/secrets"
