# Values that the plan can't know. Write each in the place of the second <...> of its line;
# README.md says where to find it and how to apply this script.

# image of the machines
s|<IMAGE_RESOURCE_ID>|<IMAGE_RESOURCE_ID>|g

# infrastructure id of the cluster
s|<INFRA_ID>|<INFRA_ID>|g

# identity of the workers
s|<MANAGED_IDENTITY>|<MANAGED_IDENTITY>|g

# resource group of the network
s|<NETWORK_RESOURCE_GROUP>|<NETWORK_RESOURCE_GROUP>|g

# load balancer for traffic to the outside
s|<PUBLIC_LOAD_BALANCER>|<PUBLIC_LOAD_BALANCER>|g

# region of the cluster
s|<REGION>|<REGION>|g

# resource group of the cluster
s|<RESOURCE_GROUP>|<RESOURCE_GROUP>|g

# subnet of the machines (of that zone, when numbered)
s|<SUBNET>|<SUBNET>|g

# virtual network
s|<VNET>|<VNET>|g
