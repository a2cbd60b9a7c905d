/** Addresses by which machines of a cloud reach services that answer nobody outside, such as their own credentials. */
export interface CloudService {
  cloud: string;
  service: string;
  /** Single addresses and networks. */
  addresses: readonly string[];
  source: string;
}

/**
 * Where webhooks never lead, besides all that is not public unicast. Many of these are not public unicast either; they
 * are listed so that this table says by itself what is refused, also where a network's kind is seen differently.
 */
export const cloudServices: readonly CloudService[] = [
  {
    cloud: 'Amazon Web Services',
    service: 'instance metadata, task and pod credentials, name and time servers',
    addresses: [
      '169.254.169.254',
      '169.254.170.2',
      '169.254.170.23',
      '169.254.169.253',
      '169.254.169.123',
      'fd00:ec2::254',
      'fd00:ec2::23',
      'fd00:ec2::253',
      'fd00:ec2::123',
    ],
    source: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html',
  },
  {
    cloud: 'Microsoft Azure',
    service: 'agent, name server and health probes of the platform',
    addresses: ['168.63.129.16'],
    source: 'https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16',
  },
  {
    cloud: 'Microsoft Azure',
    service: 'instance metadata',
    addresses: ['169.254.169.254'],
    source: 'https://learn.microsoft.com/azure/virtual-machines/instance-metadata-service',
  },
  {
    cloud: 'Google Cloud',
    service: 'instance metadata and name server',
    addresses: ['169.254.169.254', 'fd20:ce::254'],
    source: 'https://cloud.google.com/compute/docs/metadata/querying-metadata',
  },
  {
    cloud: 'Google Cloud',
    service: 'private and restricted ways to its APIs, which are not announced to the Internet',
    addresses: ['199.36.153.4/30', '199.36.153.8/30', '2600:2d00:2:1000::/56', '2600:2d00:2:2000::/56'],
    source: 'https://cloud.google.com/vpc/docs/configure-private-google-access-hybrid',
  },
  {
    cloud: 'Alibaba Cloud',
    service: 'instance metadata and name servers',
    addresses: ['100.100.100.200', '100.100.2.136', '100.100.2.138'],
    source: 'https://www.alibabacloud.com/help/en/ecs/user-guide/view-instance-metadata',
  },
  {
    cloud: 'Oracle Cloud',
    service: 'instance metadata',
    addresses: ['169.254.169.254', '192.0.0.192', 'fd00:c1::a9fe:a9fe'],
    source: 'https://docs.oracle.com/iaas/Content/Compute/Tasks/gettingmetadata.htm',
  },
  {
    cloud: 'IBM Cloud',
    service: 'private endpoints of its infrastructure and services',
    addresses: ['161.26.0.0/16', '166.8.0.0/14'],
    source: 'https://cloud.ibm.com/docs/vpc?topic=vpc-service-endpoints-for-vpc',
  },
  {
    cloud: 'Tencent Cloud',
    service: 'instance metadata',
    addresses: ['169.254.0.23'],
    source: 'https://www.tencentcloud.com/document/product/213/4934',
  },
  {
    cloud: 'Scaleway',
    service: 'instance metadata',
    addresses: ['169.254.42.42', 'fd00:42::42'],
    source: 'https://www.scaleway.com/en/docs/instances/how-to/use-metadata/',
  },
  {
    cloud: 'OpenStack, DigitalOcean, Hetzner, Vultr and others',
    service: 'instance metadata',
    addresses: ['169.254.169.254', 'fe80::a9fe:a9fe'],
    source: 'https://docs.openstack.org/nova/latest/user/metadata.html',
  },
];
