import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The address that limits count: IPv4 as it is, IPv6 by its /64, since one client holds a whole one. */
export function countedAs(ip: string): string {
  if (isIPv4(ip) || !ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}

/**
 * Reads who a request is from: the peer of its connection, or, where that is a proxy in `trusted` (CIDRs), whom it names
 * at the end of `X-Forwarded-For`, and so on while that is a trusted proxy too. Ports and brackets are dropped. An entry
 * that is no address ends the search, since what stands before it comes from an unknown party.
 */
export function createAddressReader(trusted: readonly string[]) {
  const networks = trusted.map((cidr) => ipaddr.parseCIDR(cidr));
  const isTrusted = (ip: string) => {
    const address = ipaddr.process(ip);
    return networks.some(
      ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
    );
  };
  return (peer: string, forwardedFor: string | undefined): string => {
    let address = peer;
    const entries = forwardedFor?.split(',').map((entry) => entry.trim()) ?? [];
    while (isIP(address) && isTrusted(address)) {
      const entry = entries.pop();
      if (entry === undefined) break;
      if (entry === '') continue;
      const named = withoutPort(entry);
      if (!isIP(named)) break;
      address = named;
    }
    return address;
  };
}

/** `5.6.7.8:1001`, `[2001:db8::1]:443` and `"[2001:db8::1]"` without what isn't the address; anything else as it is. */
function withoutPort(entry: string): string {
  const [, bracketed, v4, port] = /^"?(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?"?$/.exec(entry) ?? [];
  return Number(port ?? 0) > 65_535 ? '' : (bracketed ?? v4 ?? entry);
}
