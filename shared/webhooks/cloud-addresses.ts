/** Addresses by which machines of a cloud reach services of its own that answer nobody outside. */
export interface CloudService {
  cloud: string;
  service: string;
  /** Single addresses and networks. */
  addresses: readonly string[];
  /** Who says so, and where. */
  source: string;
}

/**
 * Where webhooks never lead although the addresses are public unicast by their kind. Instance metadata and name servers
 * of other clouds (169.254.169.254, 100.100.100.200, fd00:ec2::254 and so on) are link-local, shared or private
 * addresses, and refused as such.
 */
export const cloudServices: readonly CloudService[] = [
  {
    cloud: 'Microsoft Azure',
    service: 'agent, name server and health probes of the platform',
    addresses: ['168.63.129.16'],
    source: 'Azure Virtual Network documentation, "What is IP address 168.63.129.16?"',
  },
  {
    cloud: 'Google Cloud',
    service: 'private and restricted ways to its APIs, which are not announced to the Internet',
    addresses: ['199.36.153.4/30', '199.36.153.8/30', '2600:2d00:2:1000::/56', '2600:2d00:2:2000::/56'],
    source:
      'Google Cloud VPC documentation, "Configure Private Google Access", table of domains and address ranges',
  },
  {
    cloud: 'IBM Cloud',
    service: 'private endpoints of its infrastructure and services',
    addresses: ['161.26.0.0/16', '166.8.0.0/14'],
    source: 'IBM Cloud VPC documentation on service endpoints: IaaS endpoints and cloud service endpoints',
  },
];
