/* SPDX-License-Identifier: Apache-2.0 */
/* collective_mpi NAME SHARE: MPI_Allreduce of `bench collective`, as collective_rank.c times ours.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/collective_sizes.h"

int main(int count, char **arguments)
{
    int rank;
    if (count != 3 || MPI_Init(&count, &arguments) != MPI_SUCCESS) return 2;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    float *data = calloc(COLLECTIVE_MOST_BYTES, 1);
    if (!data) return 2;
    for (size_t i = 0; i < COLLECTIVE_SIZES; i++) {
        const size_t bytes = collective_sizes[i].bytes;
        double best = 1e9;
        for (int left = collective_rounds(i, strtod(arguments[2], NULL)); left > 0; left--) {
            MPI_Barrier(MPI_COMM_WORLD);
            const double begin = MPI_Wtime();
            MPI_Allreduce(MPI_IN_PLACE, data, (int)(bytes / sizeof(float)), MPI_FLOAT, MPI_SUM,
                          MPI_COMM_WORLD);
            const double time = MPI_Wtime() - begin;
            if (time < best) best = time;
        }
        if (rank == 0) printf("%s %zu %.9f\n", arguments[1], bytes, best);
    }
    free(data);
    return MPI_Finalize();
}
