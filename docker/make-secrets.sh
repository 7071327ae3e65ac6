#!/bin/sh
# Creates the secret files that compose.yaml names, once; existing ones are left alone.
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
keep database_url "postgresql://kakurenbo:$(cat secrets/database_password)@database:5432/kakurenbo"
keep attacks_database_url "postgresql://kakurenbo_attacks:$(cat secrets/attacks_password)@database:5432/kakurenbo"
keep broker_url "redis://:$(random)@redis:6379/0"
keep cache_url "$(sed 's|/0$|/1|' secrets/broker_url)"
keep attacks_broker_url "redis://kakurenbo_attacks:$(random)@redis:6379/0"
keep redis_users "$(sh redis-users.sh secrets/broker_url secrets/attacks_broker_url)"
# Users inside the containers have other ids than this one, so the files are readable and the folder is closed.
chmod 0700 secrets
chmod 0444 secrets/*
echo "secrets are in docker/secrets"
