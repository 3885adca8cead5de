# Copies the kit's headers from DCM_SOURCE and DCM_GENERATED to DCM_TO, where they include each
# other as "dcm/FOLDER/…". The part of test/support that users' tests need is in dcm/testing.

set(folders runtime client workqueue informers options manager apiserver cel node controllers/api controllers/common)
list(JOIN folders "|" any_folder)

function(dcm_install_header from to)
  file(READ "${from}" text)
  string(REGEX REPLACE "#include \"test/support/" "#include \"dcm/testing/" text "${text}")
  string(REGEX REPLACE "#include \"(${any_folder})/" "#include \"dcm/\\1/" text "${text}")
  file(WRITE "${DCM_TO}/${to}" "${text}")
endfunction()

foreach(folder IN LISTS folders)
  file(GLOB_RECURSE headers RELATIVE "${DCM_SOURCE}" "${DCM_SOURCE}/${folder}/*.hpp")
  foreach(header IN LISTS headers)
    dcm_install_header("${DCM_SOURCE}/${header}" "${header}")
  endforeach()
endforeach()
dcm_install_header("${DCM_GENERATED}/runtime/version.hpp" runtime/version.hpp)
foreach(header virtual_cluster co_test)
  dcm_install_header("${DCM_SOURCE}/test/support/${header}.hpp" "testing/${header}.hpp")
endforeach()
