module dra-controller-manager/test/realnode/pause

go 1.26.0
