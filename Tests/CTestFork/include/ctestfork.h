// Fork without exec, which Swift does not show.
#pragma once

// Runs `body` in a forked child and answers its result, 0 to 254; -1 when the child did not end by itself within
// `seconds`, or when there could be none.
int ctf_run_in_child(int (*body)(void), unsigned seconds);
