import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses of a cloud's internal services, which only its own machines can reach. */
interface CloudService {
  cloud: string;
  service: string;
  /** Addresses and networks in CIDR notation. */
  addresses: readonly string[];
  /** Title of the document of the cloud that lists the addresses. */
  source: string;
}

/**
 * Public unicast addresses that webhooks must not reach. Metadata services and DNS servers of other clouds
 * (169.254.169.254, 100.100.100.200, fd00:ec2::254 and others) are link-local, shared or private addresses, which are
 * refused anyway.
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

/** Network, such as an entry of `WEBHOOK_ALLOW_CIDRS`. */
export type Cidr = ReturnType<typeof ipaddr.parseCIDR>;

/**
 * Parses an address with a prefix length, such as `10.0.0.0/8`. Throws an Error that quotes the text if it is invalid.
 */
export function parseCidr(text: string): Cidr {
  if (!ipaddr.isValidCIDR(text)) throw new Error(`"${text}" is not a network such as 10.0.0.0/8 or fd00::/8`);
  return ipaddr.parseCIDR(text);
}

/**
 * Returns true if an address is a host on the public Internet.
 *
 * Refused are all special addresses of the IANA registries: loopback, private, link-local, shared (CGNAT), multicast,
 * documentation, benchmarking, discard-only and others. Refused is also every IPv6 form that contains an IPv4 address
 * (mapped, compatible, 6to4, Teredo, NAT64), because the translator decides where it leads. Internal services of clouds
 * (`cloudServices`) are refused too.
 */
export function isPublicUnicast(address: string): boolean {
  const parsed = parseAddress(address);
  if (parsed?.range() !== 'unicast') return false;
  if (isWithin(address, cloudNetworks)) return false;
  return parsed.kind() === 'ipv4' || parsed.match(globalUnicast);
}

/** Returns true if an address is in one of the networks. An IPv4 network never covers an IPv4-mapped IPv6 address. */
export function isWithin(address: string, networks: readonly Cidr[]): boolean {
  const parsed = parseAddress(address);
  return networks.some(([network, bits]) => parsed?.kind() === network.kind() && parsed.match(network, bits));
}

/** IPv6 global unicast space that IANA has assigned. No host exists outside of it. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

const cloudNetworks = cloudServices.flatMap(({ addresses }) => addresses).map(networkOf);

/** Returns the network of a single address, or of a CIDR. */
function networkOf(text: string): Cidr {
  return parseCidr(text.includes('/') ? text : `${text}/${isIP(text) === 6 ? 128 : 32}`);
}

function parseAddress(address: string) {
  // `isIP` is stricter than ipaddr.js, which also accepts octal, hexadecimal and short forms. Addresses with a zone are
  // link-local.
  return isIP(address) !== 0 && !address.includes('%') ? ipaddr.parse(address) : null;
}
