#!/usr/bin/env bash
# Tries the README's two commands in a new system without compiler, MPI and git. Creates a minimal root folder with debootstrap, and
# copies this working tree there. Checks that an ordinary user gets a message with the command that installs what is missing.
# Then runs scripts/run.sh and scripts/test.sh as root.
#
#   scripts/try-bare.sh [--suite NAME] [--mirror URL] [--dir FOLDER] [--keep]
#
#   --suite NAME   bookworm (Debian 12, the default), trixie (Debian 13) or noble (Ubuntu 24.04)
#   --mirror URL   where its packages come from; default: where apt gets those of this system, which must be of the same distribution
#   --dir FOLDER   the root folder, which must not exist; default: a new folder in /var/tmp. It needs 3 GB
#   --keep         keep the folder (default: it is removed, also on failure)
#
# Needs root and debootstrap. Mounts /proc, /dev and /sys inside the root folder, in a separate mount namespace: nothing outside is
# mounted or changed, and nothing stays mounted after the script has ended. The folder that MINX_REFERENCE_DATA names is copied too.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/setup.sh"

suite=bookworm mirror='' root='' keep=no

options() {
    while [ $# -gt 0 ]; do
        case $1 in
            -h | --help)
                minx_help "${BASH_SOURCE[0]}"
                exit 0
                ;;
            --suite) suite=$(minx_value "$@") ;;
            --mirror) mirror=$(minx_value "$@") ;;
            --dir) root=$(minx_value "$@") ;;
            --keep)
                keep=yes
                shift
                continue
                ;;
            *) minx_die 2 "unknown option '$1'; see $0 --help" ;;
        esac
        shift 2
    done
}

# Where apt gets this system's packages.
# shellcheck disable=SC2016 # apt-get expands it
own_mirror() { apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Component: main' | grep -v security | head -n 1; }

make_root() {
    local script=/usr/share/debootstrap/scripts/$suite more=()
    [ -n "$mirror" ] || mirror=$(own_mirror) || true
    [ -n "$mirror" ] || minx_die 3 "apt names no place for packages: give one with --mirror"
    if [ "$suite" = noble ]; then
        more=("--components=main,universe")
        [ -e "$script" ] || script=/usr/share/debootstrap/scripts/gutsy # the same for all of Ubuntu's
    fi
    minx_say "making a minimal $suite in $root"
    unshare --mount --propagation private \
        debootstrap --variant=minbase "${more[@]}" "$suite" "$root" "$mirror" "$script" >"$log" 2>&1 || no_root
    cp --dereference /etc/resolv.conf "$root/etc/resolv.conf"
    echo "127.0.0.1 localhost $(hostname)" >"$root/etc/hosts" # else MPI waits for a name server at each start
}

no_root() {
    tail -n 5 "$log" >&2
    minx_die 1 "debootstrap could not make the root"
}

copy_tree() { # what git tracks, and what it would
    mkdir -p "$root$home/minx"
    git -C "$MINX_ROOT" ls-files -z --cached --others --exclude-standard |
        (cd "$MINX_ROOT" && xargs -0 ls -d 2>/dev/null) |
        tar -C "$MINX_ROOT" --no-recursion --files-from=- -cf - | tar -C "$root$home/minx" --no-same-owner -xf -
    if [ -d "${MINX_REFERENCE_DATA:-}" ]; then
        mkdir -p "$root$home/data"
        cp -r "$MINX_REFERENCE_DATA/." "$root$home/data"
    fi
}

# inside COMMAND: runs it in the root as root, with nothing of this environment
inside() {
    # shellcheck disable=SC2016 # the inner shell is to expand it
    unshare --mount --propagation private bash -c '
        mount --bind /dev "$1/dev" && mount -t tmpfs none "$1/dev/shm" && mount --bind /proc "$1/proc" &&
            mount --rbind /sys "$1/sys" && mount -o remount,bind,ro "$1/sys" && exec chroot "$1" /usr/bin/env -i HOME="$2" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
                LANG=C.UTF-8 ${3:+MINX_REFERENCE_DATA="$3"} bash -c "cd $2/minx && $4"' \
        bash "$root" "$home" "$data" "$1" </dev/null
}

# step TITLE WANTED-EXIT-CODE COMMAND
step() {
    local start=$SECONDS status=0
    echo "==== $1"
    inside "$3" || status=$?
    echo "==== $1: exit $status after $((SECONDS - start)) s"
    [ "$status" -eq "$2" ] || minx_die 1 "$1 should have ended with exit $2"
}

clean_up() {
    if [ "$keep" = yes ]; then
        minx_say "kept $root"
    else
        rm -rf --one-file-system "$root"
    fi
    rm -f "$log"
}

main() {
    options "$@"
    [ "$(id -u)" -eq 0 ] || minx_die 3 "needs root, for debootstrap and chroot"
    minx_have debootstrap || minx_die 3 "needs debootstrap: apt-get install debootstrap"
    [ -z "$root" ] || [ ! -e "$root" ] || minx_die 2 "$root exists; name a new folder, or remove it"
    root=${root:-$(mktemp -d /var/tmp/minx-bare.XXXXXX)}
    mkdir -p "$root"
    chmod 755 "$root" # it becomes /, which ordinary users have to enter
    home=/home/newcomer log=$(mktemp) data=''
    trap clean_up EXIT
    make_root
    copy_tree
    [ ! -d "$root$home/data" ] || data=$home/data
    step "as an ordinary user" 3 'su -s /bin/bash nobody -c scripts/build.sh'
    step scripts/run.sh 0 scripts/run.sh
    step scripts/test.sh 0 scripts/test.sh
    echo "all as it should be on a bare $suite"
}

main "$@"
