# Values that the plan can't know. Write each in the place of the second <...> of its line;
# README.md says where to find it and how to apply this script.

# image of the machines
s|<AMI_ID>|<AMI_ID>|g

# type of the control plane's machines
s|<CONTROL_PLANE_TYPE>|<CONTROL_PLANE_TYPE>|g

# infrastructure id of the cluster
s|<INFRA_ID>|<INFRA_ID>|g

# region of the cluster
s|<REGION>|<REGION>|g

# subnet of the machines (of that zone, when numbered)
s|<SUBNET_1>|<SUBNET_1>|g

# subnet of the machines (of that zone, when numbered)
s|<SUBNET_2>|<SUBNET_2>|g

# subnet of the machines (of that zone, when numbered)
s|<SUBNET_3>|<SUBNET_3>|g

# instance profile of the workers
s|<WORKER_PROFILE>|<WORKER_PROFILE>|g

# security group of the workers
s|<WORKER_SECURITY_GROUP>|<WORKER_SECURITY_GROUP>|g

# name of the zone with that number
s|<ZONE_1>|<ZONE_1>|g

# name of the zone with that number
s|<ZONE_2>|<ZONE_2>|g

# name of the zone with that number
s|<ZONE_3>|<ZONE_3>|g
