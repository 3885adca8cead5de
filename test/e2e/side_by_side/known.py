"""The known differences between kubelet and a hollow node. Each name is a row of the table in node/README.md."""
from differences import Known

KNOWN = []
