# Values that the plan can't know. Write each in the place of the second <...> of its line;
# README.md says where to find it and how to apply this script.

# image of the machines
s|<IMAGE>|<IMAGE>|g

# infrastructure id of the cluster
s|<INFRA_ID>|<INFRA_ID>|g

# subnet of the machines (of that zone, when numbered)
s|<SUBNET>|<SUBNET>|g

# security group of the workers
s|<WORKER_SECURITY_GROUP>|<WORKER_SECURITY_GROUP>|g

# name of the zone with that number
s|<ZONE_1>|<ZONE_1>|g

# name of the zone with that number
s|<ZONE_2>|<ZONE_2>|g
