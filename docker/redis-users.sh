#!/bin/sh
# Prints the users of Redis, for its aclfile: the platform's own, and the attack machines', who can wait for
# messages in their queues and do nothing else. The two files hold the brokers' URLs, as KAKURENBO_BROKER_URL has
# them; only the hashes of their passwords are printed.
set -eu
[ $# -eq 2 ] || { echo "usage: redis-users.sh FILE_WITH_BROKER_URL FILE_WITH_ATTACKS_BROKER_URL" >&2; exit 2; }
prefix=${KAKURENBO_QUEUE_PREFIX:-}
hash_of() {
    password=$(sed -n "s|^rediss*://$2:\([A-Za-z0-9_-]\{20,\}\)@.*|\1|p" "$1")
    [ -n "$password" ] || {
        echo "$1 must hold redis://$2:PASSWORD@HOST:PORT/0 with 20 or more of A-Z a-z 0-9 _ - as password." >&2
        exit 1
    }
    printf %s "$password" | sha256sum | cut -d' ' -f1
}
all=$(hash_of "$1" "")
attacks=$(hash_of "$2" kakurenbo_attacks)
[ "$all" != "$attacks" ] || { echo "The attack machines must have a password of their own." >&2; exit 1; }
echo "user default on #$all ~* &* +@all -@admin -@dangerous"
echo "user kakurenbo_attacks on #$attacks ~${prefix}attacks ~${prefix}programs resetchannels -@all +ping +brpop"
