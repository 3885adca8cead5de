# cmake -DSOURCE=… -DIN=… -DOUT=… -P build_info.cmake: writes OUT if its content changes. Commit and
# date are those of the checkout; without one, as in an image, they come from $DCM_COMMIT and
# $SOURCE_DATE_EPOCH.
function(ask_git variable)
  execute_process(COMMAND git -C "${SOURCE}" ${ARGN} OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(answer "unknown")
  endif()
  set(${variable} "${answer}" PARENT_SCOPE)
endfunction()

set(DCM_COMMIT "$ENV{DCM_COMMIT}")
if(DCM_COMMIT STREQUAL "")
  ask_git(DCM_COMMIT describe --always --abbrev=40 --exclude=* --dirty=-modified)
endif()
if("$ENV{SOURCE_DATE_EPOCH}" MATCHES "^0?$")
  ask_git(epoch log -1 --format=%ct)
  set(ENV{SOURCE_DATE_EPOCH} "${epoch}")
endif()
set(DCM_DATE "unknown")
if("$ENV{SOURCE_DATE_EPOCH}" MATCHES "^[0-9]+$")
  string(TIMESTAMP DCM_DATE "%Y-%m-%dT%H:%M:%SZ" UTC)
endif()
configure_file("${IN}" "${OUT}" @ONLY)
