#!/bin/sh
# Creates the virtual host, its two users and the attack machines' queues in RabbitMQ; run it where rabbitmqctl works.
# The two files hold the brokers' URLs, as KAKURENBO_BROKER_URL has them: amqp://USER:PASSWORD@HOST:PORT/VHOST. The
# second user can receive the messages of its queues and do nothing else. What exists is changed to exactly this.
set -eu
[ $# -eq 2 ] || { echo "usage: rabbitmq-users.sh FILE_WITH_BROKER_URL FILE_WITH_ATTACKS_BROKER_URL" >&2; exit 2; }
prefix=${KAKURENBO_QUEUE_PREFIX:-}
name='[A-Za-z0-9_-]\{1,\}'
part() {
    found=$(sed -n "s|^amqps*://\($name\):\([A-Za-z0-9_-]\{20,\}\)@[^/]*/\($name\)\$|\\$2|p" "$1")
    [ -n "$found" ] || {
        echo "$1 must hold amqp://USER:PASSWORD@HOST:PORT/VHOST, of A-Z a-z 0-9 _ -, the password 20 or more." >&2
        exit 1
    }
    printf %s "$found"
}
case $prefix in *[!A-Za-z0-9_-]*) echo "KAKURENBO_QUEUE_PREFIX may hold A-Z a-z 0-9 _ - only." >&2; exit 1 ;; esac
vhost=$(part "$1" 3)
user=$(part "$1" 1)
attacks=$(part "$2" 1)
[ "$vhost" = "$(part "$2" 3)" ] || { echo "Both URLs must name the same virtual host." >&2; exit 1; }
[ "$user" != "$attacks" ] || { echo "The attack machines must have a user of their own." >&2; exit 1; }
listed() { rabbitmqctl --quiet "$1" --no-table-headers | cut -f1 | grep -qxF "$2"; }
make_user() {
    verb=add_user
    if listed list_users "$(part "$1" 1)"; then verb=change_password; fi
    part "$1" 2 | rabbitmqctl --quiet "$verb" "$(part "$1" 1)" >/dev/null
    rabbitmqctl --quiet set_user_tags "$(part "$1" 1)"
}
listed list_vhosts "$vhost" || rabbitmqctl --quiet add_vhost "$vhost"
make_user "$1"
make_user "$2"
rabbitmqctl --quiet set_permissions --vhost "$vhost" "$user" '.*' '.*' '.*'
rabbitmqctl --quiet set_permissions --vhost "$vhost" "$attacks" '^$' '^$' "^${prefix}(attacks|programs)\$"
queue='{"name": "%s", "vhost": "%s", "durable": true, "auto_delete": false, "arguments": {}}'
{
    printf '{"queues": ['
    # shellcheck disable=SC2059  # The pattern is the one above.
    printf "$queue, " "${prefix}attacks" "$vhost"
    # shellcheck disable=SC2059
    printf "$queue]}" "${prefix}programs" "$vhost"
} | rabbitmqctl --quiet import_definitions >/dev/null
echo "virtual host $vhost: $user may do everything, $attacks may read ${prefix}attacks and ${prefix}programs"
