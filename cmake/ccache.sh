#!/bin/sh
# ccache, but for precompiled headers: GCC knows files that say `#pragma once` again by their time of change too,
# which is another where the same text was written anew.
case " $* " in
  *" c++-header "*) exec "$@" ;;
esac
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime  # for what reads such a header
exec ccache "$@"
