#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How mpirun starts something on 10.77.0.N: in the namespace HOSTS-(N - 1), under a host name of its own.
host=$1
shift
number=$((${host##*.} - 1))
exec ip netns exec "$HOSTS-$number" unshare --uts bash -c "hostname host$number; $*"
