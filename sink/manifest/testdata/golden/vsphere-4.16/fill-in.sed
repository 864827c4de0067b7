# Values that the plan can't know. Write each in the place of the second <...> of its line;
# README.md says where to find it and how to apply this script.

# data centre
s|<DATACENTER>|<DATACENTER>|g

# datastore (of that zone, when numbered)
s|<DATASTORE_1>|<DATASTORE_1>|g

# datastore (of that zone, when numbered)
s|<DATASTORE_2>|<DATASTORE_2>|g

# datastore (of that zone, when numbered)
s|<DATASTORE_3>|<DATASTORE_3>|g

# folder of the virtual machines
s|<FOLDER>|<FOLDER>|g

# infrastructure id of the cluster
s|<INFRA_ID>|<INFRA_ID>|g

# network of the machines
s|<NETWORK>|<NETWORK>|g

# resource pool (of that zone, when numbered)
s|<RESOURCE_POOL_1>|<RESOURCE_POOL_1>|g

# resource pool (of that zone, when numbered)
s|<RESOURCE_POOL_2>|<RESOURCE_POOL_2>|g

# resource pool (of that zone, when numbered)
s|<RESOURCE_POOL_3>|<RESOURCE_POOL_3>|g

# template of the virtual machines
s|<TEMPLATE>|<TEMPLATE>|g

# vCenter server
s|<VCENTER>|<VCENTER>|g
