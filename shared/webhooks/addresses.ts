import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { cloudServices } from './cloud-addresses.ts';

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
 * only their own machines reach (`cloud-addresses.ts`).
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
