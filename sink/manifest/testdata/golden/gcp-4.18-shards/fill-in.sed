# Values that the plan can't know. Write each in the place of the second <...> of its line;
# README.md says where to find it and how to apply this script.

# domain of the cluster
s|<CLUSTER_DOMAIN>|<CLUSTER_DOMAIN>|g

# image of the machines
s|<IMAGE>|<IMAGE>|g

# infrastructure id of the cluster
s|<INFRA_ID>|<INFRA_ID>|g

# network of the machines
s|<NETWORK>|<NETWORK>|g

# project
s|<PROJECT_ID>|<PROJECT_ID>|g

# region of the cluster
s|<REGION>|<REGION>|g

# subnet of the machines (of that zone, when numbered)
s|<SUBNET>|<SUBNET>|g

# service account of the workers
s|<WORKER_SERVICE_ACCOUNT>|<WORKER_SERVICE_ACCOUNT>|g

# name of the zone with that number
s|<ZONE_1>|<ZONE_1>|g

# name of the zone with that number
s|<ZONE_2>|<ZONE_2>|g

# name of the zone with that number
s|<ZONE_3>|<ZONE_3>|g
