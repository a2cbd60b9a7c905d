import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses by which machines of a cloud reach services of its own that answer nobody outside. */
interface CloudService {
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

/** A network, such as an entry of `WEBHOOK_ALLOW_CIDRS`. */
export type Cidr = ReturnType<typeof ipaddr.parseCIDR>;

/** Throws an Error that quotes the text when it is not an address and a prefix length, such as `10.0.0.0/8`. */
export function parseCidr(text: string): Cidr {
  if (!ipaddr.isValidCIDR(text)) throw new Error(`"${text}" is not a network such as 10.0.0.0/8 or fd00::/8`);
  return ipaddr.parseCIDR(text);
}

/**
 * Whether an address is one host on the public Internet. Refused: everything IANA lists as special, among it
 * loopback, private, link-local, shared (CGNAT), multicast, documentation, benchmarking and discard-only addresses,
 * and every form that carries an IPv4 address inside IPv6 (mapped, compatible, 6to4, Teredo, NAT64): the embedded
 * address is not judged, as who translates it decides where it leads. Refused as well: where clouds have services that
 * only their own machines reach (`cloudServices`).
 */
export function isPublicUnicast(address: string): boolean {
  const parsed = parseAddress(address);
  if (parsed?.range() !== 'unicast') return false;
  if (isWithin(address, cloudNetworks)) return false;
  return parsed.kind() === 'ipv4' || parsed.match(globalUnicast);
}

/** Whether an address lies in one of the networks. An IPv4 network never covers an IPv4-mapped IPv6 address. */
export function isWithin(address: string, networks: readonly Cidr[]): boolean {
  const parsed = parseAddress(address);
  return networks.some(([network, bits]) => parsed?.kind() === network.kind() && parsed.match(network, bits));
}

/** All that IANA has given out as IPv6 global unicast; what lies outside is unassigned, so nobody is there to answer. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

const cloudNetworks = cloudServices.flatMap(({ addresses }) => addresses).map(networkOf);

/** A single address is a network of one. */
function networkOf(text: string): Cidr {
  return parseCidr(text.includes('/') ? text : `${text}/${isIP(text) === 6 ? 128 : 32}`);
}

function parseAddress(address: string) {
  // isIP is stricter than ipaddr.js, which also reads octal, hexadecimal and short forms; a zone names a local link.
  return isIP(address) !== 0 && !address.includes('%') ? ipaddr.parse(address) : null;
}
