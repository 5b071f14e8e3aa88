#!/bin/sh
# script/bootstrap keeps services from being started while it installs packages, and no longer: not even if it is killed.
# Nothing is installed: dpkg-query, apt-get and sudo are replaced.
#
#   bootstrap_policy.sh script/bootstrap
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
policy=$dir/policy-rc.d
mkdir "$dir/bin"

fail() {
  echo "$*" >&2
  exit 1
}
tool() {
  { echo '#!/bin/sh'; cat; } >"$dir/bin/$1"
  chmod +x "$dir/bin/$1"
}
echo 'exit 1' | tool dpkg-query
echo 'exec "$@"' | tool sudo
# Asks, as a maintainer script does; then waits if it is told to.
tool apt-get <<'EOF'
"$HOLDFAST_POLICY_RC_D" redis-server start
echo $? >"$HOLDFAST_POLICY_RC_D.answer"
while [ -e "$HOLDFAST_POLICY_RC_D.wait" ]; do sleep 0.05; done
EOF
install() { PATH=$dir/bin:$PATH HOLDFAST_POLICY_RC_D=$policy "$1" run >"$dir/out" 2>&1; }

install "$1" || fail "bootstrap failed: $(cat "$dir/out")"
[ "$(cat "$policy.answer")" = 101 ] || fail "a service would have been started: $(cat "$policy.answer")"
[ ! -e "$policy" ] || fail "the policy was left behind"

# Killed in the middle.
rm "$policy.answer"
touch "$policy.wait"
install "$1" &
shell=$!
for _ in $(seq 600); do
  [ -s "$policy.answer" ] && break
  sleep 0.1
done
[ "$(cat "$policy.answer")" = 101 ] || fail "it has not asked"
bootstrap=$(sed -n 's|.*/proc/\([0-9]*\)/stat.*|\1|p' "$policy")
kill -9 "$bootstrap"
wait "$shell" 2>/dev/null || true
rm "$policy.wait"
[ -e "$policy" ] || fail "nothing to test: the policy is gone already"
"$policy" redis-server start || fail "a service may not be started although bootstrap is dead"
[ ! -e "$policy" ] || fail "a policy that counts for nothing is still there"

# What a killed one left is replaced by the next one, and goes with it.
printf '#!/bin/sh\n# made by script/bootstrap of Holdfast, for as long as it runs\nexit 101\n' >"$policy"
install "$1" || fail "bootstrap failed: $(cat "$dir/out")"
[ ! -e "$policy" ] || fail "the policy of a killed bootstrap is still there"

# Another's is left alone.
printf '#!/bin/sh\nexit 101\n' >"$policy"
chmod +x "$policy"
install "$1" || fail "bootstrap failed: $(cat "$dir/out")"
[ -e "$policy" ] || fail "the policy of the machine's owner is gone"
