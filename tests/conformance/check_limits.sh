#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check_limits.sh [LIBRARY]: prints what the tree and the library measure beside the limits they are held to, and fails
# when one is passed. Where a limit is not reached yet, "so far" stands beside it and nothing fails.
set -eu
cd "$(dirname "$0")/../.."
library=${1:-build/release/lib64/libaclnn_cpu.so}
status=0

# measured WHAT VALUE LIMIT [so-far]
measured() {
    verdict=
    if [ "$2" -gt "$3" ]; then
        if [ "${4:-}" = so-far ]; then
            verdict=": above it, so far"
        else
            verdict=": ABOVE THE LIMIT"
            status=1
        fi
    fi
    printf '%-44s %9d of %9d%s\n' "$1" "$2" "$3" "$verdict"
}

for folder in kernels/*/; do
    family=$(basename "$folder")
    lines=$(cat "$folder"*.[ch] | wc -l)
    case $family in
    pool) measured "lines of kernels/$family" "$lines" 9000 so-far ;;
    conv | vector) printf '%-44s %9d\n' "lines of kernels/$family" "$lines" ;;
    *) measured "lines of kernels/$family" "$lines" 1500 ;;
    esac
done
# How many sources of these folders are longer than a file may be.
long_in() {
    find "$@" \( -name '*.c' -o -name '*.h' \) -exec wc -l {} + | awk '$2 != "total" && $1 > 600' | grep -vc 'api/include/' || true
}
measured "sources longer than 600 lines" "$(long_in api executor kernels runtime samples tests)" 0
words=$(cat kernels/*/NOTES.md runtime/NOTES.md | awk '/^\|/ { gsub(/\|/, " "); if (NF > longest) longest = NF } END { print longest + 0 }')
measured "words of the longest row of a NOTES.md" "$words" 25

if [ -e "$library" ] && command -v size >/dev/null; then
    text=$(size "$library" | awk 'NR == 2 { print $1 }')
    operators=$(grep -cE '^OPERATOR(_BY_HAND)?\(' api/operators.def)
    levels=$(find "$(dirname "$library")/../kernels/CMakeFiles" -maxdepth 1 -name 'aclnn_kernels_*.dir' | wc -l)
    measured "bytes of text of the library" "$text" 12000000
    measured "  while pooling is its largest part" "$text" 7000000 so-far
    measured "  per operator and level ($operators, $levels)" $((text / operators / levels)) 20000 so-far
else
    echo "the library's text: not measured, $library is not built"
fi
exit $status
